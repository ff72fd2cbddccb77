// Hints in any order and spelling; none at all; attributes of arguments.
entry @a(%p: tile<ptr<f32>>) optimization_hints=<> {
  return
}
entry @b(%p: tile<ptr<f32>>) optimization_hints=<sm_90={occupancy=2,num_cta_in_cga = 1}, "default" = {}> {
  %0, %1 = load_ptr_tko weak %p optimization_hints = <sm_90 = {latency = 3, allow_tma = false}> : tile<ptr<f32>> -> tile<f32>, token
  %2, %3 = load_ptr_tko weak %p token=%1 optimization_hints = <> : tile<ptr<f32>> -> tile<f32>, token
  return
}
