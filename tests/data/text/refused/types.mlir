entry @k(%a: tile<4 f32>) {
}
entry @l(%a: tile<?xf32>) {
}
entry @m(%a: tile<0xf32>) {
}
entry @n(%a: tile<tile<f32>>) {
}
entry @o(%a: tensor_view<4xf32, strides=[1,2]>) {
}
entry @p(%a: partition_view<tile=(4), padding_value = one, tensor_view<4xf32, strides=[1]>>) {
}
entry @q(%a: !cuda_tile.vector<4xf32>) {
}
entry @r(%a: ptr<f32, <everywhere>>) {
}
entry @s(%a: partition_view<tile=(4), tensor_view<4xf32, strides=[1]>, dim_map=[1]>) {
}
entry @t(%a: gather_scatter_view<tile=(4), tensor_view<4xf32, strides=[1]>>) {
}
// expect 1:21 TP-X0004
// expect 3:19 TP-X0004
// expect 5:14 TP-X0026
// expect 7:14 TP-X0026
// expect 9:14 TP-X0026
// expect 11:55 TP-X0013
// expect 13:14 TP-X0006
// expect 15:24 TP-X0013
// expect 17:14 TP-X0026
// expect 19:75 TP-X0004
