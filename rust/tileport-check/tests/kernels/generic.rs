// SPDX-License-Identifier: Apache-2.0
#[cutile::module]
pub mod generic {
    use cutile::core::*;

    /// Writes zeros to the first `N` elements.
    #[cutile::entry()]
    pub unsafe fn zeros<E: ElementType, const N: i32>(output: *mut E) {
        let base: PointerTile<*mut E, { [] }> = pointer_to_tile(output);
        let base: PointerTile<*mut E, { [1] }> = reshape_ptr(base, shape![1]);
        let base: PointerTile<*mut E, { [N] }> = broadcast_ptr(base, shape![N]);
        let lanes: Tile<i32, { [N] }> = iota(shape![N]);
        let places: PointerTile<*mut E, { [N] }> = addptr_tile(base, lanes);
        let zeros: Tile<E, { [N] }> = constant(E::ZERO, shape![N]);
        let _: Token =
            store_ptr_tko(places, zeros, ordering::Weak, None::<scope::TileBlock>, None, None, Latency::<0>);
    }
}
