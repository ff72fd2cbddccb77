// A module around the kernels, and the dialect's name in front of everything.
cuda_tile.module @kernels attributes {producer = "hand \22made\22"} {
  cuda_tile.global private constant @table alignment = 64 <f32 : [1.0, -2.5]> : !cuda_tile.tile<2xf32>
  global public @other <i8: 0xFF> : tile<4xi8>
  cuda_tile.entry @k(%p: !cuda_tile.tile<!cuda_tile.ptr<f32>>, %n: !cuda_tile.tile<i32>) {
    %at = cuda_tile.get_global @table : !cuda_tile.tile<ptr<f32>>
    %sure = cuda_tile.assume #cuda_tile.div_by<16>, %p : tile<ptr<f32>>
    %few = assume bounded<?, 0x10>, %n : tile<i32>
    %same = assume #cuda_tile.same_elements<[]>, %few : tile<i32>
    %lanes = reshape %p : tile<ptr<f32>> -> tile<1x!cuda_tile.ptr<f32>>
    cuda_tile.return
  }
}
