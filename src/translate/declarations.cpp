// SPDX-License-Identifier: Apache-2.0
#include "translate/declarations.hpp"

#include <algorithm>
#include <cassert>

namespace tileport::translate {
namespace {

struct Row {
  Need need;
  Declaration declaration;
};

constexpr std::array kRows = std::to_array<Row>({
    {Need::number, {"number", R"(
    /// `N` as a tile. Through the reshapes cutile knows no bounds of it, and adds no promises of its own.
    fn number<const N: i32>() -> Tile<i32, { [] }> {
        let one_element: Tile<i32, { [1] }> = broadcast_scalar(N, shape![1]);
        reshape(one_element, shape![])
    }
)"}},
    // cutile decides an `if` on const generics when it compiles, so that a divisor of 1 leaves no op.
    {Need::divisible, {"divisible", R"(
    /// `x`, promised to be a multiple of `D`; 1 promises nothing.
    ///
    /// # Safety
    /// `x` is a multiple of `D`, which is one of 1, 2, 4, 8 and 16.
    unsafe fn divisible<E: ElementType, const D: i32>(x: Tile<E, { [] }>) -> Tile<E, { [] }> {
        if D == 16 {
            assume_div_by_raw(x, 16, None, None)
        } else if D == 8 {
            assume_div_by_raw(x, 8, None, None)
        } else if D == 4 {
            assume_div_by_raw(x, 4, None, None)
        } else if D == 2 {
            assume_div_by_raw(x, 2, None, None)
        } else {
            x
        }
    }
)"}},
    {Need::aligned, {"aligned", R"(
    /// `pointer`, promised to be aligned to `D` bytes; 1 promises nothing.
    ///
    /// # Safety
    /// The address is a multiple of `D`, which is one of 1, 2, 4, 8 and 16.
    unsafe fn aligned<E: ElementType, const D: i32>(
        pointer: PointerTile<*mut E, { [] }>,
    ) -> PointerTile<*mut E, { [] }> {
        if D == 16 {
            assume_div_by_raw(pointer, 16, None, None)
        } else if D == 8 {
            assume_div_by_raw(pointer, 8, None, None)
        } else if D == 4 {
            assume_div_by_raw(pointer, 4, None, None)
        } else if D == 2 {
            assume_div_by_raw(pointer, 2, None, None)
        } else {
            pointer
        }
    }
)"}},
    {Need::padded_load, {"load_ptr_padded_tko", R"(
    /// `load_ptr_tko` whose padding is a tile, as in Tile IR; in `cutile::core` it is a scalar.
    #[cuda_tile::op(name = "cuda_tile.load_ptr_tko", params = ["source"])]
    #[cuda_tile::variadic_op(N = 6)]
    pub unsafe fn load_ptr_padded_tko<
        E: ElementType,
        P: PointerTo<E>,
        const S: [i32; N],
        O: ordering::LoadMode,
        Sc: scope::Mode,
        const CYCLES: i32,
    >(
        source: PointerTile<P, S>,
        memory_ordering: O,
        memory_scope: Option<Sc>,
        mask: Option<Tile<bool, S>>,
        padding_value: Option<Tile<E, S>>,
        token: Option<Token>,
        latency: Latency<CYCLES>,
    ) -> (Tile<E, S>, Token) {
        unreachable!()
    }
)"}},
    {Need::full_division, {"divf_full", R"(
    /// `divf` with rounding `full`, which that of `cutile::core` loses.
    #[cuda_tile::op(
        name = "cuda_tile.divf",
        params = ["lhs", "rhs"],
        static_params = ["ftz={Enabled: flush_to_zero=unit}"],
        named_attributes = ["rounding_mode=#cuda_tile.rounding<full>"]
    )]
    #[cuda_tile::variadic_op(N = 6)]
    pub fn divf_full<E: ElementType, const S: [i32; N], F: ftz::Mode>(
        lhs: Tile<E, S>,
        rhs: Tile<E, S>,
        ftz: F,
    ) -> Tile<E, S> {
        unreachable!()
    }
)"}},
    {Need::wrapping_truncation, {"trunci_wrapping", R"(
    /// `trunci` that wraps; that of `cutile::core` loses the overflow mode `None`.
    #[cuda_tile::op(
        name = "cuda_tile.trunci",
        params = ["from"],
        named_attributes = ["overflow=#cuda_tile.overflow<none>"]
    )]
    #[cuda_tile::variadic_op(N = 6)]
    pub fn trunci_wrapping<EIn: ElementType, EOut: ElementType, const S: [i32; N]>(
        from: Tile<EIn, S>,
    ) -> Tile<EOut, S> {
        unreachable!()
    }
)"}},
    {Need::pointer_address, {"ptr_to_int_i64", R"(
    /// `ptr_to_int` to integers; that of `cutile::core` gives elements of the pointee's type.
    #[cuda_tile::op(name = "cuda_tile.ptr_to_int", params = ["source"])]
    #[cuda_tile::variadic_op(N = 6)]
    pub fn ptr_to_int_i64<E: ElementType, const S: [i32; N]>(
        source: PointerTile<*mut E, S>,
    ) -> Tile<i64, S> {
        unreachable!()
    }
)"}},
    // The name without "cuda_tile." leads past the code that panics, to that for ops in general.
    {Need::scalar_atomic, {"atomic_rmw_scalar_tko", R"(
    /// `atomic_rmw_tko` of rank 0, of which that of `cutile::core` panics. `mask` and `token` are arrays of one
    /// or none.
    #[cuda_tile::op(
        name = "atomic_rmw_tko",
        params = ["pointer", "arg", "mask", "token"],
        has_variadic_params = true,
        static_params = [
            "mode={And: mode=0, Or: mode=1, Xor: mode=2, Add: mode=3, AddF: mode=4, \
             Max: mode=5, Min: mode=6, Umax: mode=7, Umin: mode=8, Xchg: mode=9}",
            "memory_ordering={Relaxed: memory_ordering_semantics=1, Acquire: memory_ordering_semantics=2, \
             Release: memory_ordering_semantics=3, AcqRel: memory_ordering_semantics=4}",
            "memory_scope={TileBlock: memory_scope=0, Device: memory_scope=1, System: memory_scope=2}"
        ]
    )]
    pub unsafe fn atomic_rmw_scalar_tko<
        E: ElementType,
        Mask,
        After,
        M: atomic::Mode,
        O: ordering::AtomicMode,
        Sc: scope::Mode,
    >(
        pointer: PointerTile<*mut E, { [] }>,
        arg: Tile<E, { [] }>,
        mask: Mask,
        token: After,
        mode: M,
        memory_ordering: O,
        memory_scope: Sc,
    ) -> (Tile<E, { [] }>, Token) {
        unreachable!()
    }
)"}},
});

}  // namespace

const Declaration* find_declaration(Need need) {
  const auto row = std::ranges::find(kRows, need, &Row::need);
  return row == kRows.end() ? nullptr : &row->declaration;
}

std::string declared(Entry& entry, Need need) {
  const Declaration* declaration = find_declaration(need);
  assert(declaration && "the need is no op");
  entry.need(need);
  return std::string(declaration->function);
}

bool is_declared(std::string_view name) {
  return std::ranges::any_of(kRows, [&](const Row& row) { return row.declaration.function == name; });
}

}  // namespace tileport::translate
