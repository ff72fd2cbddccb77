entry @k(%t: tile<4xf32>, %f: tile<f32>) {
  %0 = reduce %t dim=0 identities=[0.0 : f32] : tile<4xf32> -> tile<f32>
  (%a: tile<f32>) {
    yield %a : tile<f32>
  }
  %1 = reduce %t dim=0 identities=[0.0 : f32] : tile<4xf32> -> tile<f32>
  (%a: tile<f32>, %b: tile<f32>) {
    %c = addf %a, %b : tile<f32>
  }
  return
}
// expect 2:8 TP-X0021
