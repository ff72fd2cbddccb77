// SPDX-License-Identifier: Apache-2.0
// Two kernels that compile: rows scaled by a number, and a loop with a carried sum and a branch.
#[cutile::module]
pub mod scale {
    use cutile::core::*;

    #[cutile::entry(unchecked_accesses = true, optimization_hints = (default = (occupancy = 2,),))]
    unsafe fn scale_f32(x: *mut f32, rows: i32, columns: i32, stride: i32, factor: f32) {
        let start: Token = new_token_unordered();
        let pointer: PointerTile<*mut f32, { [] }> = pointer_to_tile(x);
        let base: PointerTile<*mut f32, { [] }> = unsafe { assume_div_by_raw(pointer, 16, None, None) };
        let rows_0: i32 = unsafe { assume_bounds_raw(rows, Some(0), None) };
        let shape: Shape<{ [-1, -1] }> = Shape::<{ [-1, -1] }> { dims: &[rows_0, columns] };
        let strides: Array<{ [-1, 1] }> = Array::<{ [-1, 1] }> { dims: &[stride] };
        let view: Tensor<f32, { [-1, -1] }> = unsafe { make_tensor_view(base, shape, strides, start) };
        let tiles: Partition<f32, { [1, 64] }> =
            unsafe { make_partition_view(&view, shape![1, 64], padding::Zero, dim_map::Identity, start) };
        let zero: Tile<i32, { [] }> = constant(0, shape![]);
        let loaded: (Tile<f32, { [1, 64] }>, Token) = unsafe {
            load_view_raw(
                &tiles,
                (zero, zero),
                Some(start),
                ordering::Weak,
                scope::TileBlock,
                tma::Enabled,
                Some(4),
                [false, false],
                shape![1, 64],
            )
        };
        let values: Tile<f32, { [1, 64] }> = loaded.0;
        let factor_0: Tile<f32, { [] }> = scalar_to_tile(factor);
        let factor_1: Tile<f32, { [1, 1] }> = reshape(factor_0, shape![1, 1]);
        let factor_2: Tile<f32, { [1, 64] }> = broadcast(factor_1, shape![1, 64]);
        let product: Tile<f32, { [1, 64] }> =
            mulf(values, factor_2, rounding::NearestEven, ftz::Disabled);
        let stored: Token = unsafe {
            store_view_raw(
                &tiles,
                product,
                (zero, zero),
                Some(loaded.1),
                ordering::Weak,
                scope::TileBlock,
                tma::Disabled,
                None,
                [false, false],
            )
        };
    }
}

#[cutile::module]
pub mod sums {
    use cutile::core::*;

    #[cutile::entry()]
    unsafe fn sum_up(out: *mut i32, n: i32) {
        let pointer: PointerTile<*mut i32, { [] }> = pointer_to_tile(out);
        let zero: Tile<i32, { [] }> = constant(0, shape![]);
        let one: Tile<i32, { [] }> = constant(1, shape![]);
        let first: i32 = tile_to_scalar(zero);
        let step: i32 = tile_to_scalar(one);
        let mut c00: Tile<i32, { [] }> = zero;
        for i in (first..n).step_by(step as usize) {
            let index: Tile<i32, { [] }> = scalar_to_tile(i);
            let small: Tile<bool, { [] }> = cmpi(index, one, predicate::LessThan);
            let is_small: bool = tile_to_scalar(small);
            let next: Tile<i32, { [] }> = if is_small {
                let sum: Tile<i32, { [] }> = addi(c00, index, overflow::NoSignedWrap);
                sum
            } else {
                c00
            };
            c00 = next;
        }
        let stored: Token = unsafe {
            store_ptr_tko(
                pointer,
                c00,
                ordering::Weak,
                None::<scope::TileBlock>,
                None,
                None,
                Latency::<0>,
            )
        };
    }

    #[cutile::entry()]
    unsafe fn product(out: *mut i32, n: i32) {
        let pointer: PointerTile<*mut i32, { [] }> = pointer_to_tile(out);
        let factor: Tile<i32, { [] }> = scalar_to_tile(n);
        let square: Tile<i32, { [] }> = factor * factor;
        let stored: Token = unsafe {
            store_ptr_tko(
                pointer,
                square,
                ordering::Weak,
                None::<scope::TileBlock>,
                None,
                None,
                Latency::<0>,
            )
        };
    }
}
