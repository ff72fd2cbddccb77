entry @k(%p: tile<ptr<f32>>, %n: tile<i32>, %m: tile<i64>) {
  %0 = make_tensor_view %p, shape = [%n], strides = [1] : tile<i32> -> tensor_view<16xf32, strides=[1]>
  %1 = make_tensor_view %p, shape = [16], strides = [2] : tensor_view<16xf32, strides=[1]>
  %2 = make_tensor_view %p, shape = [%n], strides = [1] : tile<i64> -> tensor_view<?xf32, strides=[1]>
  %3 = make_tensor_view %p, shape = [%n], strides = [1] : tile<i32> -> tile<16xf32>
  return
}
// expect 2:8 TP-X0010
// expect 3:8 TP-X0010
// expect 4:8 TP-X0010
// expect 5:8 TP-X0010
