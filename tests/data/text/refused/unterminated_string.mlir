entry @k(%a: tile<ptr<f32>>, %n: tile<i32>) {
  %0 = print_tko "abc
  return
}
// expect 2:18 TP-X0003
