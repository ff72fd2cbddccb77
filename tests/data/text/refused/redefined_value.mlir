entry @k(%a: tile<ptr<f32>>, %n: tile<i32>) {
  %0 = make_token : token
  %0 = make_token : token
  return
}
// expect 3:3 TP-X0008
