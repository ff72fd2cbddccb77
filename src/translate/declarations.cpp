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
