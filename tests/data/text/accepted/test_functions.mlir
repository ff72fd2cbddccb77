// Functions of the dialect's test build take and give any type. They can't be written as bytecode.
cuda_tile.module @tests {
  testing$func @f(%t: tile<2x4xf32>, %v: tensor_view<f32>, %tok: token) -> (tile<2x4xf32>, token) {
    return %t, %tok : tile<2x4xf32>, token
  }
  cuda_tile.testing$func @g() -> token {
    %0 = make_token : token
    return %0 : token
  }
  "cuda_tile.testing$func"() <{function_type = (tile<i32>) -> tile<i32>, sym_name = "h"}> ({
  ^bb0(%n: tile<i32>):
    "cuda_tile.return"(%n) : (tile<i32>) -> ()
  }) : () -> ()
}
