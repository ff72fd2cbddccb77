// Golden file.
// Second line.
#![allow(clippy::all, non_snake_case, unreachable_code, unsafe_op_in_unsafe_fn)]
#![allow(unused_assignments, unused_variables)]

#[cutile::module]
pub mod _swiglu_forward_kernel {
    use cutile::core::*;

    /// Tile IR entry `_swiglu_forward_kernel_Kt1_A2f32_1i16v4l0_2t1_p16_A2f32_1i16v4l0_2t1_p16_A2f32_1i16v4l0_2t1_p16_I2048_B1`.
    #[cutile::entry(optimization_hints = (default = (occupancy = 1, num_worker_warps_per_cta = 8,),))]
    pub unsafe fn _swiglu_forward_kernel__0b9f04d0ac(
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
        arg10: *mut f32,
        arg11: i32,
        arg12: i32,
        arg13: i32,
        arg14: i32,
    ) {
        let arg0_1: PointerTile<*mut f32, { [] }> = pointer_to_tile(arg0);
        let arg1_1: Tile<i32, { [] }> = scalar_to_tile(arg1);
        let arg2_1: Tile<i32, { [] }> = scalar_to_tile(arg2);
        let arg3_1: Tile<i32, { [] }> = scalar_to_tile(arg3);
        let arg5_1: PointerTile<*mut f32, { [] }> = pointer_to_tile(arg5);
        let arg6_1: Tile<i32, { [] }> = scalar_to_tile(arg6);
        let arg7_1: Tile<i32, { [] }> = scalar_to_tile(arg7);
        let arg8_1: Tile<i32, { [] }> = scalar_to_tile(arg8);
        let arg10_1: PointerTile<*mut f32, { [] }> = pointer_to_tile(arg10);
        let arg11_1: Tile<i32, { [] }> = scalar_to_tile(arg11);
        let arg12_1: Tile<i32, { [] }> = scalar_to_tile(arg12);
        let arg13_1: Tile<i32, { [] }> = scalar_to_tile(arg13);
        let arg0_2: PointerTile<*mut f32, { [] }> = assume_div_by_raw(arg0_1, 16, None, None);
        let arg1_2: Tile<i32, { [] }> = assume_div_by_raw(arg1_1, 16, None, None);
        let arg3_2: Tile<i32, { [] }> = assume_div_by_raw(arg3_1, 4, None, None);
        let arg5_2: PointerTile<*mut f32, { [] }> = assume_div_by_raw(arg5_1, 16, None, None);
        let arg6_2: Tile<i32, { [] }> = assume_div_by_raw(arg6_1, 16, None, None);
        let arg8_2: Tile<i32, { [] }> = assume_div_by_raw(arg8_1, 4, None, None);
        let arg10_2: PointerTile<*mut f32, { [] }> = assume_div_by_raw(arg10_1, 16, None, None);
        let arg11_2: Tile<i32, { [] }> = assume_div_by_raw(arg11_1, 16, None, None);
        let arg13_2: Tile<i32, { [] }> = assume_div_by_raw(arg13_1, 4, None, None);
        // swiglu.py:28
        let token: Token = new_token_unordered();
        let arg1_3: Tile<i32, { [] }> = assume_bounds_raw(arg1_2, Some(0), None);
        let arg2_2: Tile<i32, { [] }> = assume_bounds_raw(arg2_1, Some(0), None);
        let arg3_3: Tile<i32, { [] }> = assume_bounds_raw(arg3_2, Some(0), None);
        let arg6_3: Tile<i32, { [] }> = assume_bounds_raw(arg6_2, Some(0), None);
        let arg7_2: Tile<i32, { [] }> = assume_bounds_raw(arg7_1, Some(0), None);
        let arg8_3: Tile<i32, { [] }> = assume_bounds_raw(arg8_2, Some(0), None);
        let arg11_3: Tile<i32, { [] }> = assume_bounds_raw(arg11_2, Some(0), None);
        let arg12_2: Tile<i32, { [] }> = assume_bounds_raw(arg12_1, Some(0), None);
        let arg13_3: Tile<i32, { [] }> = assume_bounds_raw(arg13_2, Some(0), None);
        // swiglu.py:29
        let (block_x, _, _): (i32, i32, i32) = get_tile_block_id();
        let block_x_1: Tile<i32, { [] }> = scalar_to_tile(block_x);
        // swiglu.py:30
        let lanes: Tile<i32, { [2048] }> = iota(shape![2048]);
        // swiglu.py:32
        let block_x_2: Tile<i64, { [] }> = exti(block_x_1);
        let block_x_3: Tile<i64, { [1] }> = reshape(block_x_2, shape![1]);
        let block_x_4: Tile<i64, { [2048] }> = broadcast(block_x_3, shape![2048]);
        let arg1_4: Tile<i64, { [] }> = exti(arg1_3);
        let arg1_5: Tile<i64, { [1] }> = reshape(arg1_4, shape![1]);
        let arg1_6: Tile<i64, { [2048] }> = broadcast(arg1_5, shape![2048]);
        let block_x_unsigned: Tile<u64, { [2048] }> = bitcast(block_x_4);
        let arg1_unsigned: Tile<u64, { [2048] }> = bitcast(arg1_6);
        let is_less_than: Tile<bool, { [2048] }> = cmpi(block_x_unsigned, arg1_unsigned, predicate::LessThan);
        let arg3_4: Tile<i64, { [] }> = exti(arg3_3);
        let arg3_5: Tile<i64, { [1] }> = reshape(arg3_4, shape![1]);
        let arg3_6: Tile<i64, { [2048] }> = broadcast(arg3_5, shape![2048]);
        let product: Tile<i64, { [2048] }> = block_x_4 * arg3_6;
        let lanes_1: Tile<i64, { [2048] }> = exti(lanes);
        let arg2_3: Tile<i64, { [] }> = exti(arg2_2);
        let arg2_4: Tile<i64, { [1] }> = reshape(arg2_3, shape![1]);
        let arg2_5: Tile<i64, { [2048] }> = broadcast(arg2_4, shape![2048]);
        let lanes_unsigned: Tile<u64, { [2048] }> = bitcast(lanes_1);
        let arg2_unsigned: Tile<u64, { [2048] }> = bitcast(arg2_5);
        let is_less_than_1: Tile<bool, { [2048] }> = cmpi(lanes_unsigned, arg2_unsigned, predicate::LessThan);
        let both: Tile<bool, { [2048] }> = andi(is_less_than, is_less_than_1);
        let one_i64: Tile<i64, { [2048] }> = constant(1, shape![2048]);
        let product_1: Tile<i64, { [2048] }> = lanes_1 * one_i64;
        let sum: Tile<i64, { [2048] }> = product + product_1;
        let arg0_3: PointerTile<*mut f32, { [1] }> = reshape_ptr(arg0_2, shape![1]);
        let arg0_4: PointerTile<*mut f32, { [2048] }> = broadcast_ptr(arg0_3, shape![2048]);
        let arg0_5: PointerTile<*mut f32, { [2048] }> = addptr_tile(arg0_4, sum);
        let zero_f32: Tile<f32, { [] }> = constant(0.0, shape![]);
        let (loaded, _): (Tile<f32, { [2048] }>, Token) = load_ptr_tko(
            arg0_5,
            ordering::Weak,
            None::<scope::TileBlock>,
            Some(both),
            Some(tile_to_scalar(zero_f32)),
            Some(token),
            Latency::<0>,
        );
        // swiglu.py:33
        let block_x_5: Tile<i64, { [] }> = exti(block_x_1);
        let block_x_6: Tile<i64, { [1] }> = reshape(block_x_5, shape![1]);
        let block_x_7: Tile<i64, { [2048] }> = broadcast(block_x_6, shape![2048]);
        let arg6_4: Tile<i64, { [] }> = exti(arg6_3);
        let arg6_5: Tile<i64, { [1] }> = reshape(arg6_4, shape![1]);
        let arg6_6: Tile<i64, { [2048] }> = broadcast(arg6_5, shape![2048]);
        let block_x_unsigned_1: Tile<u64, { [2048] }> = bitcast(block_x_7);
        let arg6_unsigned: Tile<u64, { [2048] }> = bitcast(arg6_6);
        let is_less_than_2: Tile<bool, { [2048] }> =
            cmpi(block_x_unsigned_1, arg6_unsigned, predicate::LessThan);
        let arg8_4: Tile<i64, { [] }> = exti(arg8_3);
        let arg8_5: Tile<i64, { [1] }> = reshape(arg8_4, shape![1]);
        let arg8_6: Tile<i64, { [2048] }> = broadcast(arg8_5, shape![2048]);
        let product_2: Tile<i64, { [2048] }> = block_x_7 * arg8_6;
        let lanes_2: Tile<i64, { [2048] }> = exti(lanes);
        let arg7_3: Tile<i64, { [] }> = exti(arg7_2);
        let arg7_4: Tile<i64, { [1] }> = reshape(arg7_3, shape![1]);
        let arg7_5: Tile<i64, { [2048] }> = broadcast(arg7_4, shape![2048]);
        let lanes_unsigned_1: Tile<u64, { [2048] }> = bitcast(lanes_2);
        let arg7_unsigned: Tile<u64, { [2048] }> = bitcast(arg7_5);
        let is_less_than_3: Tile<bool, { [2048] }> =
            cmpi(lanes_unsigned_1, arg7_unsigned, predicate::LessThan);
        let both_1: Tile<bool, { [2048] }> = andi(is_less_than_2, is_less_than_3);
        let product_3: Tile<i64, { [2048] }> = lanes_2 * one_i64;
        let sum_1: Tile<i64, { [2048] }> = product_2 + product_3;
        let arg5_3: PointerTile<*mut f32, { [1] }> = reshape_ptr(arg5_2, shape![1]);
        let arg5_4: PointerTile<*mut f32, { [2048] }> = broadcast_ptr(arg5_3, shape![2048]);
        let arg5_5: PointerTile<*mut f32, { [2048] }> = addptr_tile(arg5_4, sum_1);
        let (loaded_1, _): (Tile<f32, { [2048] }>, Token) = load_ptr_tko(
            arg5_5,
            ordering::Weak,
            None::<scope::TileBlock>,
            Some(both_1),
            Some(tile_to_scalar(zero_f32)),
            Some(token),
            Latency::<0>,
        );
        // swiglu.py:19
        let negated: Tile<f32, { [2048] }> = negf(loaded);
        let exponential: Tile<f32, { [2048] }> = exp(negated);
        let one_f32: Tile<f32, { [] }> = constant(1.0, shape![]);
        let const_f32: Tile<f32, { [1] }> = reshape(one_f32, shape![1]);
        let const_f32_1: Tile<f32, { [2048] }> = broadcast(const_f32, shape![2048]);
        let sum_2: Tile<f32, { [2048] }> =
            addf(const_f32_1, exponential, rounding::NearestEven, ftz::Disabled);
        // swiglu.py:20
        let const_f32_2: Tile<f32, { [1] }> = reshape(one_f32, shape![1]);
        let const_f32_3: Tile<f32, { [2048] }> = broadcast(const_f32_2, shape![2048]);
        let quotient: Tile<f32, { [2048] }> = divf(const_f32_3, sum_2, rounding::Approx, ftz::Enabled);
        // swiglu.py:24
        let product_4: Tile<f32, { [2048] }> = mulf(loaded, quotient, rounding::NearestEven, ftz::Disabled);
        // swiglu.py:36
        let product_5: Tile<f32, { [2048] }> =
            mulf(product_4, loaded_1, rounding::NearestEven, ftz::Disabled);
        // swiglu.py:37
        let block_x_8: Tile<i64, { [] }> = exti(block_x_1);
        let block_x_9: Tile<i64, { [1] }> = reshape(block_x_8, shape![1]);
        let block_x_10: Tile<i64, { [2048] }> = broadcast(block_x_9, shape![2048]);
        let arg11_4: Tile<i64, { [] }> = exti(arg11_3);
        let arg11_5: Tile<i64, { [1] }> = reshape(arg11_4, shape![1]);
        let arg11_6: Tile<i64, { [2048] }> = broadcast(arg11_5, shape![2048]);
        let block_x_unsigned_2: Tile<u64, { [2048] }> = bitcast(block_x_10);
        let arg11_unsigned: Tile<u64, { [2048] }> = bitcast(arg11_6);
        let is_less_than_4: Tile<bool, { [2048] }> =
            cmpi(block_x_unsigned_2, arg11_unsigned, predicate::LessThan);
        let arg13_4: Tile<i64, { [] }> = exti(arg13_3);
        let arg13_5: Tile<i64, { [1] }> = reshape(arg13_4, shape![1]);
        let arg13_6: Tile<i64, { [2048] }> = broadcast(arg13_5, shape![2048]);
        let product_6: Tile<i64, { [2048] }> = block_x_10 * arg13_6;
        let lanes_3: Tile<i64, { [2048] }> = exti(lanes);
        let arg12_3: Tile<i64, { [] }> = exti(arg12_2);
        let arg12_4: Tile<i64, { [1] }> = reshape(arg12_3, shape![1]);
        let arg12_5: Tile<i64, { [2048] }> = broadcast(arg12_4, shape![2048]);
        let lanes_unsigned_2: Tile<u64, { [2048] }> = bitcast(lanes_3);
        let arg12_unsigned: Tile<u64, { [2048] }> = bitcast(arg12_5);
        let is_less_than_5: Tile<bool, { [2048] }> =
            cmpi(lanes_unsigned_2, arg12_unsigned, predicate::LessThan);
        let both_2: Tile<bool, { [2048] }> = andi(is_less_than_4, is_less_than_5);
        let product_7: Tile<i64, { [2048] }> = lanes_3 * one_i64;
        let sum_3: Tile<i64, { [2048] }> = product_6 + product_7;
        let arg10_3: PointerTile<*mut f32, { [1] }> = reshape_ptr(arg10_2, shape![1]);
        let arg10_4: PointerTile<*mut f32, { [2048] }> = broadcast_ptr(arg10_3, shape![2048]);
        let arg10_5: PointerTile<*mut f32, { [2048] }> = addptr_tile(arg10_4, sum_3);
        let _: Token = store_ptr_tko(
            arg10_5,
            product_5,
            ordering::Weak,
            None::<scope::TileBlock>,
            Some(both_2),
            Some(token),
            Latency::<0>,
        );
    }
}
