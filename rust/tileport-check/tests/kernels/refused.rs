// SPDX-License-Identifier: Apache-2.0
// Entries that cutile's compiler refuses, each with the statement at fault marked.
#[cutile::module]
pub mod refused {
    use cutile::core::*;

    #[cutile::entry()]
    unsafe fn good(n: i32) {
        let a: Tile<i32, { [] }> = scalar_to_tile(n);
    }

    #[cutile::entry()]
    unsafe fn unknown_function(n: i32) {
        let a: Tile<i32, { [] }> = scalar_to_tile(n);
        let b: Tile<i32, { [] }> = no_such_operation(a); // here
    }

    #[cutile::entry()]
    unsafe fn wrong_type(n: i32) {
        let a: Tile<f32, { [8] }> = constant(1.0f32, shape![8]);
        let b: Tile<f32, { [4] }> = constant(1.0f32, shape![4]);
        let c: Tile<f32, { [8] }> = a + b; // here
    }

    #[cutile::entry()]
    unsafe fn inline_shape(x: *mut f32, n: i32) {
        let start: Token = new_token_unordered();
        let base: PointerTile<*mut f32, { [] }> = pointer_to_tile(x);
        let strides: Array<{ [1] }> = Array::<{ [1] }> { dims: &[] };
        let view: Tensor<f32, { [-1] }> = unsafe { make_tensor_view(base, Shape::<{ [-1] }> { dims: &[n] }, strides, start) }; // here
        let after: Tile<i32, { [] }> = constant(1, shape![]);
    }

    #[cutile::entry()]
    unsafe fn nested_panic(p: *mut i32, n: i32) {
        let pointer: PointerTile<*mut i32, { [] }> = pointer_to_tile(p);
        let one: Tile<i32, { [] }> = constant(1, shape![]);
        let first: i32 = tile_to_scalar(one);
        for i in (first..n).step_by(first as usize) {
            let index: Tile<i32, { [] }> = scalar_to_tile(i);
            let small: Tile<bool, { [] }> = cmpi(index, one, predicate::LessThan);
            let is_small: bool = tile_to_scalar(small);
            if is_small {
                let a: Tile<i32, { [] }> = addi(index, one, overflow::NoSignedWrap);
            } else {
                let b: Tile<i32, { [] }> = addi(index, one, overflow::NoSignedWrap);
                let r: (Tile<i32, { [] }>, Token) = unsafe { atomic_rmw_tko(pointer, one, atomic::Add, ordering::Relaxed, scope::Device, None, None) }; // here
                let c: Tile<i32, { [] }> = addi(index, b, overflow::NoSignedWrap);
            }
        }
    }

    #[cutile::entry()]
    unsafe fn only_the_writer_notices(n: i32) {
        let a: Tile<i32, { [] }> = scalar_to_tile(n);
        let b: Tile<i32, { [] }> = addi(a, a, overflow::NoSignedWrap);
        let c: Tile<i32, { [] }> = muli(a, b, overflow::None); // here
        let d: Tile<i32, { [] }> = addi(b, c, overflow::NoSignedWrap);
    }

    #[cutile::entry()]
    unsafe fn needs_a_newer_version(n: i32) {
        let a: Tile<f32, { [8] }> = constant(1.0f32, shape![8]);
        let b: Tile<f32, { [2] }> = constant(2.0f32, shape![2]);
        let zero: Tile<i32, { [] }> = constant(0, shape![]);
        let c: Tile<f32, { [8] }> = insert(b, a, [zero]); // here
    }
}
