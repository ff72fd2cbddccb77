// Golden file.
// Second line.
#![allow(clippy::all, non_snake_case, unreachable_code, unsafe_op_in_unsafe_fn)]
#![allow(unused_assignments, unused_variables)]

#[cutile::module]
pub mod _softmax_kernel_tma {
    use cutile::core::*;

    /// Tile IR entry `_softmax_kernel_tma_Kt1_A2f32_1v4l0_2t1_3i16_p16_A2f32_1v4l0_2t1_3i16_p16_I4096_I8192_I8192`.
    #[cutile::entry(optimization_hints = (default = (occupancy = 2,),))]
    pub unsafe fn _softmax_kernel_tma__5fec1e9b62(
        arg0: *mut f32,
        arg1: i32,
        arg2: i32,
        arg3: i32,
        arg4: i32,
        arg5: *mut f32,
        arg6: i32,
        arg7: i32,
        arg8: i32,
        arg9: i32,
    ) {
        let arg0_1: PointerTile<*mut f32, { [] }> = pointer_to_tile(arg0);
        let arg1_1: Tile<i32, { [] }> = scalar_to_tile(arg1);
        let arg2_1: Tile<i32, { [] }> = scalar_to_tile(arg2);
        let arg3_1: Tile<i32, { [] }> = scalar_to_tile(arg3);
        let arg5_1: PointerTile<*mut f32, { [] }> = pointer_to_tile(arg5);
        let arg6_1: Tile<i32, { [] }> = scalar_to_tile(arg6);
        let arg7_1: Tile<i32, { [] }> = scalar_to_tile(arg7);
        let arg8_1: Tile<i32, { [] }> = scalar_to_tile(arg8);
        let arg0_2: PointerTile<*mut f32, { [] }> = assume_div_by_raw(arg0_1, 16, None, None);
        let arg1_2: Tile<i32, { [] }> = assume_div_by_raw(arg1_1, 16, None, None);
        let arg2_2: Tile<i32, { [] }> = assume_div_by_raw(arg2_1, 16, None, None);
        let arg3_2: Tile<i32, { [] }> = assume_div_by_raw(arg3_1, 4, None, None);
        let arg5_2: PointerTile<*mut f32, { [] }> = assume_div_by_raw(arg5_1, 16, None, None);
        let arg6_2: Tile<i32, { [] }> = assume_div_by_raw(arg6_1, 16, None, None);
        let arg7_2: Tile<i32, { [] }> = assume_div_by_raw(arg7_1, 16, None, None);
        let arg8_2: Tile<i32, { [] }> = assume_div_by_raw(arg8_1, 4, None, None);
        // softmax.py:93
        let token: Token = new_token_unordered();
        let arg1_3: Tile<i32, { [] }> = assume_bounds_raw(arg1_2, Some(0), None);
        let arg1_4: Tile<i32, { [] }> = assume_div_by_raw(arg1_3, 16, None, None);
        let arg2_3: Tile<i32, { [] }> = assume_bounds_raw(arg2_2, Some(0), None);
        let arg2_4: Tile<i32, { [] }> = assume_div_by_raw(arg2_3, 16, None, None);
        let arg3_3: Tile<i32, { [] }> = assume_bounds_raw(arg3_2, Some(0), None);
        let arg3_4: Tile<i32, { [] }> = assume_div_by_raw(arg3_3, 4, None, None);
        let arg0_shape: Shape<{ [-1, -1] }> =
            Shape::<{ [-1, -1] }> { dims: &[tile_to_scalar(arg1_4), tile_to_scalar(arg2_4)] };
        let arg0_strides: Array<{ [-1, 1] }> = Array::<{ [-1, 1] }> { dims: &[tile_to_scalar(arg3_4)] };
        let arg0_view: Tensor<f32, { [-1, -1] }> = make_tensor_view(arg0_2, arg0_shape, arg0_strides, token);
        let arg6_3: Tile<i32, { [] }> = assume_bounds_raw(arg6_2, Some(0), None);
        let arg6_4: Tile<i32, { [] }> = assume_div_by_raw(arg6_3, 16, None, None);
        let arg7_3: Tile<i32, { [] }> = assume_bounds_raw(arg7_2, Some(0), None);
        let arg7_4: Tile<i32, { [] }> = assume_div_by_raw(arg7_3, 16, None, None);
        let arg8_3: Tile<i32, { [] }> = assume_bounds_raw(arg8_2, Some(0), None);
        let arg8_4: Tile<i32, { [] }> = assume_div_by_raw(arg8_3, 4, None, None);
        let arg5_shape: Shape<{ [-1, -1] }> =
            Shape::<{ [-1, -1] }> { dims: &[tile_to_scalar(arg6_4), tile_to_scalar(arg7_4)] };
        let arg5_strides: Array<{ [-1, 1] }> = Array::<{ [-1, 1] }> { dims: &[tile_to_scalar(arg8_4)] };
        let arg5_view: Tensor<f32, { [-1, -1] }> = make_tensor_view(arg5_2, arg5_shape, arg5_strides, token);
        // softmax.py:101
        let (block_x, _, _): (i32, i32, i32) = get_tile_block_id();
        let block_x_1: Tile<i32, { [] }> = scalar_to_tile(block_x);
        // softmax.py:102
        let (grid_x, _, _): (i32, i32, i32) = get_num_tile_blocks();
        let grid_x_1: Tile<i32, { [] }> = scalar_to_tile(grid_x);
        // softmax.py:106
        let arg5_tiles: Partition<f32, { [1, 8192] }> =
            make_partition_view(&arg5_view, shape![1, 8192], padding::NegInf, dim_map::Identity, token);
        // softmax.py:126
        let arg0_tiles: Partition<f32, { [1, 8192] }> =
            make_partition_view(&arg0_view, shape![1, 8192], padding::None, dim_map::Identity, token);
        // softmax.py:104
        let start: i32 = tile_to_scalar(block_x_1);
        let const_4096_i32: Tile<i32, { [] }> = constant(4096, shape![]);
        let end: i32 = tile_to_scalar(const_4096_i32);
        let step: i32 = tile_to_scalar(grid_x_1);
        for index in (start..end).step_by(step as usize) {
            let index_1: Tile<i32, { [] }> = scalar_to_tile(index);
            // softmax.py:106
            let zero_i32: Tile<i32, { [] }> = constant(0, shape![]);
            let (loaded, _): (Tile<f32, { [1, 8192] }>, Token) = load_view_raw(
                &arg5_tiles,
                [index_1, zero_i32],
                Some(token),
                ordering::Weak,
                scope::TileBlock,
                tma::Enabled,
                None,
                [false, false],
                shape![1, 8192],
            );
            // softmax.py:112
            let maximum: Tile<f32, { [1] }> = reduce_max(loaded, 1);
            let maximum_1: Tile<f32, { [1, 1] }> = reshape(maximum, shape![1, 1]);
            // softmax.py:113
            let maximum_2: Tile<f32, { [1, 8192] }> = broadcast(maximum_1, shape![1, 8192]);
            let difference: Tile<f32, { [1, 8192] }> =
                subf(loaded, maximum_2, rounding::NearestEven, ftz::Disabled);
            // softmax.py:116
            let exponential: Tile<f32, { [1, 8192] }> = exp_with_rounding(difference, rounding::Approx);
            // softmax.py:119
            let total: Tile<f32, { [1] }> = reduce_sum(exponential, 1);
            let total_1: Tile<f32, { [1, 1] }> = reshape(total, shape![1, 1]);
            // softmax.py:122
            let total_2: Tile<f32, { [1, 8192] }> = broadcast(total_1, shape![1, 8192]);
            let quotient: Tile<f32, { [1, 8192] }> =
                divf(exponential, total_2, rounding::Approx, ftz::Enabled);
            // softmax.py:126
            let _: Token = store_view_raw(
                &arg0_tiles,
                quotient,
                [index_1, zero_i32],
                Some(token),
                ordering::Weak,
                scope::TileBlock,
                tma::Enabled,
                None,
                [false, false],
            );
        }
    }
}
