entry @k(%a: tile<ptr<f32>>, %n: tile<i32>) {
  %0 = iota : tile<24xi32>
  return
}
// expect 2:15 TP-X0026
