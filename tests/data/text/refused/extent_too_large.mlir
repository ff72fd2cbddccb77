entry @k(%a: tile<ptr<f32>>, %n: tile<i32>) {
  %0 = iota : tile<99999999999999999999xi32>
  return
}
// expect 2:20 TP-X0011
