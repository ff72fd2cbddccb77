// Names for types and attributes, in front of the module and behind it.
!number = !cuda_tile.tile<i32>
!view = tensor_view<?x32xf32, strides=[32,1]>
#sixteen = #cuda_tile.div_by<16>
cuda_tile.module @kernels {
  entry @k(%p: tile<ptr<f32>>, %n: !number) {
    %a = assume #sixteen, %n : !number
    %b = "cuda_tile.assume"(%a) <{predicate = #later}> : (!number) -> !number
    %v = make_tensor_view %p, shape = [%b, 32], strides = [32, 1] : !number -> !view
    %w = make_partition_view %v : partition_view<tile=(8x8), padding_value = neg_inf, !view, dim_map=[1, 0]>
    return
  }
}
#later = #cuda_tile.bounded<0, 7>
