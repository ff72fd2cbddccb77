// The open-source tools of 13.3 print pow where tileirdisasm prints fpowf.
entry @k(%a: tile<f32>) {
  %0 = pow %a, %a : tile<f32>
  %1 = cuda_tile.pow %a, %0 : tile<f32>
  %2 = "cuda_tile.pow"(%a, %1) : (!cuda_tile.tile<f32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<f32>
  return
}
