entry @k(%p: tile<ptr<f32>>, %n: tile<i32>) optimization_hints=<sm_90 = 3> {
}
entry @l(%p: tile<ptr<f32>>, %n: tile<i32>) {
  %0 = assume div_by<3, each 4>, %n : tile<i32>
  %1 = assume odd, %n : tile<i32>
  %2, %3 = load_ptr_tko soft %p : tile<ptr<f32>> -> tile<f32>, token
  %4, %5 = load_ptr_tko weak %p optimization_hints = <sm_90 = {latency = 1, latency = 2}> : tile<ptr<f32>> -> tile<f32>, token
  %6, %7 = atomic_rmw_tko relaxed %p, addf, %n : tile<ptr<f32>>, tile<i32> -> tile<f32>, token
  %8 = "cuda_tile.addf"(%n, %n) <{rounding_mode = #cuda_tile.overflow<none>}> : (tile<i32>, tile<i32>) -> tile<i32>
  %9 = "cuda_tile.negi"(%n) <{colour = 1 : i32}> : (tile<i32>) -> tile<i32>
  %10 = "cuda_tile.cmpi"(%n, %n) <{signedness = #cuda_tile.signedness<signed>}> : (tile<i32>, tile<i32>) -> tile<i1>
  %11 = assume #nobody, %n : tile<i32>
  print_tko "a\qb" -> token
  return
}
// expect 1:73 TP-X0004
// expect 4:25 TP-X0004
// expect 5:15 TP-X0004
// expect 6:25 TP-X0013
// expect 7:77 TP-X0014
// expect 8:12 TP-X0015
// expect 9:51 TP-X0014
// expect 10:40 TP-X0014
// expect 11:9 TP-X0015
// expect 12:16 TP-X0018
// expect 13:13 TP-X0003
