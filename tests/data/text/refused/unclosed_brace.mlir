entry @k(%a: tile<ptr<f32>>, %n: tile<i32>) {
  return
// expect 4:1 TP-X0017
