// MLIR's own module around the dialect's; what it is called and says does not matter.
module @outer attributes {gpu.container_module, number = 1 : i32} {
  cuda_tile.module @inner {
    entry @k() {
    }
  } loc(unknown)
}
