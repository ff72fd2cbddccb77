// SPDX-License-Identifier: Apache-2.0
// What cutile's compiler takes from text although rustc refuses it: the reason for the second gate.
#[cutile::module]
pub mod ill_typed {
    use cutile::core::*;

    #[cutile::entry()]
    unsafe fn other_shape(n: i32) {
        let a: Tile<f32, { [8] }> = constant(1.0f32, shape![8]);
        let b: Tile<f32, { [4] }> = constant(1.0f32, shape![4]);
        let c: Tile<f32, { [8] }> = addf(a, b, rounding::NearestEven, ftz::Disabled); // here
    }

    #[cutile::entry()]
    unsafe fn other_element_type(n: i32) {
        let a: Tile<f32, { [8] }> = constant(1.0f32, shape![8]);
        let b: Tile<i32, { [8] }> = a; // here
    }
}
