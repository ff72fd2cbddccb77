%0 = make_token : token
entry @k() {
}
cuda_tile.constant <f32: 5.0> : !cuda_tile.tile<f32>
// expect 1:1 TP-X0004
// expect 4:1 TP-X0004
