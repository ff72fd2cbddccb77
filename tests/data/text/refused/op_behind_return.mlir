entry @k(%a: tile<ptr<f32>>, %n: tile<i32>) {
  return
  make_token : token
}
// expect 3:3 TP-X0025
