entry @k(%a: tile<ptr<f32>>, %n: tile<i32>) {
  %0 = frobnicate %a : tile<f32>
  return
}
// expect 2:8 TP-X0005
