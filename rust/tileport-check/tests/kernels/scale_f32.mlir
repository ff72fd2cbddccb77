entry @scale_f32_entry(%arg0: tile<ptr<f32>>, %arg1: tile<i32>, %arg2: tile<i32>, %arg3: tile<i32>, %arg4: tile<f32>) optimization_hints=<default = {occupancy = 2}> {
  %0 = make_token : token
  %assume = assume div_by<16>, %arg0 : tile<ptr<f32>>
  %assume_0 = assume bounded<0, ?>, %arg1 : tile<i32>
  %tview = make_tensor_view %assume, shape = [%assume_0, %arg2], strides = [%arg3, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
  %cst_-1_i32 = constant <i32: -1> : tile<i32>
  %cst_-1_i32_1 = constant <i32: -1> : tile<i32>
  %pview = make_partition_view %tview : partition_view<tile=(1x64), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %false = constant <i1: false> : tile<i1>
  %false_2 = constant <i1: false> : tile<i1>
  %tile, %result_token = load_view_tko weak %pview[%cst_0_i32, %cst_0_i32] token = %0 optimization_hints = <TARGET = {latency = 4}> : partition_view<tile=(1x64), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> tile<1x64xf32>, token
  %reshape = reshape %arg4 : tile<f32> -> tile<1x1xf32>
  %bcast = broadcast %reshape : tile<1x1xf32> -> tile<1x64xf32>
  %1 = mulf %tile, %bcast  : tile<1x64xf32>
  %false_3 = constant <i1: false> : tile<i1>
  %false_4 = constant <i1: false> : tile<i1>
  %2 = store_view_tko weak %1, %pview[%cst_0_i32, %cst_0_i32] token = %result_token optimization_hints = <TARGET = {allow_tma = false}> : tile<1x64xf32>, partition_view<tile=(1x64), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
  return
}
