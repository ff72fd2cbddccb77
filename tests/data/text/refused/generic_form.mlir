entry @k(%n: tile<i32>, %p: tile<ptr<f32>>) {
  %0 = "addi"(%n, %n) : (tile<i32>, tile<i32>) -> tile<i32>
  %1 = "cuda_tile.addi"(%n) : (tile<i32>) -> tile<i32>
  %2 = "cuda_tile.addi"(%n, %n) : (tile<i32>) -> tile<i32>
  %3 = "cuda_tile.addi"(%n, %n) : (tile<i32>, tile<f32>) -> tile<i32>
  %4 = "cuda_tile.addi"(%n, %n) : (tile<i32>, tile<i32>) -> (tile<i32>, tile<i32>)
  %5 = "cuda_tile.negi"(%n) ({ }) : (tile<i32>) -> tile<i32>
  %6 = "cuda_tile.make_tensor_view"(%p, %n) : (tile<ptr<f32>>, tile<i32>) -> tensor_view<?xf32, strides=[1]>
  %7 = "cuda_tile.make_tensor_view"(%p, %n) <{operandSegmentSizes = array<i32: 1, 0, 1>}> : (tile<ptr<f32>>, tile<i32>) -> tensor_view<?xf32, strides=[1]>
  "cuda_tile.for"(%n, %n, %n) ({
  ^bb0(%i: tile<i32>, %j: tile<i32>):
    "cuda_tile.continue"() : () -> ()
  }) : (tile<i32>, tile<i32>, tile<i32>) -> ()
  "cuda_tile.loop"() ({ }) : () -> ()
  "cuda_tile.return"() : () -> ()
}
// expect 2:8 TP-X0005
// expect 3:8 TP-X0021
// expect 4:33 TP-X0021
// expect 5:33 TP-X0010
// expect 6:33 TP-X0021
// expect 7:30 TP-X0021
// expect 8:8 TP-X0015
// expect 9:8 TP-X0021
// expect 10:3 TP-X0021
// expect 14:3 TP-X0021
