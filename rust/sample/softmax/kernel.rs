// SPDX-License-Identifier: Apache-2.0
#[cutile::module]
pub mod softmax_rows {
    use cutile::core::*;

    /// One block per row; rows shorter than the tile are padded with negative infinity.
    #[cutile::entry(unchecked_accesses = true)]
    unsafe fn softmax_rows__1024(
        output: *mut f32,
        output_shape0: i32,
        output_shape1: i32,
        output_stride0: i32,
        output_stride1: i32,
        input: *mut f32,
        input_shape0: i32,
        input_shape1: i32,
        input_stride0: i32,
        input_stride1: i32,
    ) {
        let start: Token = new_token_unordered();
        let output_pointer: PointerTile<*mut f32, { [] }> = pointer_to_tile(output);
        let output_base: PointerTile<*mut f32, { [] }> =
            unsafe { assume_div_by_raw(output_pointer, 16, None, None) };
        let output_shape: Shape<{ [-1, -1] }> =
            Shape::<{ [-1, -1] }> { dims: &[output_shape0, output_shape1] };
        let output_strides: Array<{ [-1, 1] }> = Array::<{ [-1, 1] }> { dims: &[output_stride0] };
        let output_view: Tensor<f32, { [-1, -1] }> =
            unsafe { make_tensor_view(output_base, output_shape, output_strides, start) };
        let input_pointer: PointerTile<*mut f32, { [] }> = pointer_to_tile(input);
        let input_base: PointerTile<*mut f32, { [] }> =
            unsafe { assume_div_by_raw(input_pointer, 16, None, None) };
        let input_shape: Shape<{ [-1, -1] }> = Shape::<{ [-1, -1] }> { dims: &[input_shape0, input_shape1] };
        let input_strides: Array<{ [-1, 1] }> = Array::<{ [-1, 1] }> { dims: &[input_stride0] };
        let input_view: Tensor<f32, { [-1, -1] }> =
            unsafe { make_tensor_view(input_base, input_shape, input_strides, start) };
        let input_tiles: Partition<f32, { [1, 1024] }> = unsafe {
            make_partition_view(&input_view, shape![1, 1024], padding::NegInf, dim_map::Identity, start)
        };
        let output_tiles: Partition<f32, { [1, 1024] }> = unsafe {
            make_partition_view(&output_view, shape![1, 1024], padding::None, dim_map::Identity, start)
        };
        let block: (i32, i32, i32) = get_tile_block_id();
        let row: Tile<i32, { [] }> = scalar_to_tile(block.0);
        let zero: Tile<i32, { [] }> = constant(0, shape![]);
        let loaded: (Tile<f32, { [1, 1024] }>, Token) = unsafe {
            load_view_raw(
                &input_tiles,
                (row, zero),
                Some(start),
                ordering::Weak,
                scope::TileBlock,
                tma::Enabled,
                None,
                [false, false],
                shape![1, 1024],
            )
        };
        let values: Tile<f32, { [1, 1024] }> = loaded.0;
        let maximum: Tile<f32, { [1] }> = reduce_max(values, 1i32);
        let maximum_column: Tile<f32, { [1, 1] }> = reshape(maximum, shape![1, 1]);
        let maximum_row: Tile<f32, { [1, 1024] }> = broadcast(maximum_column, shape![1, 1024]);
        let shifted: Tile<f32, { [1, 1024] }> =
            subf(values, maximum_row, rounding::NearestEven, ftz::Disabled);
        let powers: Tile<f32, { [1, 1024] }> = unsafe { exp_with_rounding(shifted, rounding::Approx) };
        let sum: Tile<f32, { [1] }> = reduce_sum(powers, 1i32);
        let sum_column: Tile<f32, { [1, 1] }> = reshape(sum, shape![1, 1]);
        let sum_row: Tile<f32, { [1, 1024] }> = broadcast(sum_column, shape![1, 1024]);
        let result: Tile<f32, { [1, 1024] }> = divf(powers, sum_row, rounding::Approx, ftz::Enabled);
        let stored: Token = unsafe {
            store_view_raw(
                &output_tiles,
                result,
                (row, zero),
                Some(start),
                ordering::Weak,
                scope::TileBlock,
                tma::Enabled,
                None,
                [false, false],
            )
        };
    }
}
