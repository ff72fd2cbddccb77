cuda_tile.module @a {
}
cuda_tile.module @b {
}
// expect 0:0 TP-X0024
