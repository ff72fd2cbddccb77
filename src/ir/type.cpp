// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <iterator>
#include <limits>
#include <tileport/ir/type.hpp>

namespace tileport::ir {
namespace {

struct KindInfo {
  std::string_view keyword;
  unsigned bits;
  Version since{13, 1};
};

/// In the order of TypeKind.
constexpr KindInfo kKinds[] = {
    {"i1", 1},
    {"i4", 4, {13, 3}},
    {"i8", 8},
    {"i16", 16},
    {"i32", 32},
    {"i64", 64},
    {"f16", 16},
    {"bf16", 16},
    {"f32", 32},
    {"tf32", 19},
    {"f64", 64},
    {"f8E4M3FN", 8},
    {"f8E5M2", 8},
    {"f8E8M0FNU", 8, {13, 2}},
    {"f4E2M1FN", 4, {13, 3}},
    {"fnv8E5M3FNU", 8, {13, 4}},
    {"ptr", 0},
    {"tile", 0},
    {"tensor_view", 0},
    {"partition_view", 0},
    {"strided_view", 0, {13, 3}},
    {"gather_scatter_view", 0, {13, 3}},
    {"function", 0},
    {"token", 0},
};
static_assert(std::size(kKinds) == static_cast<std::size_t>(TypeKind::token) + 1);

}  // namespace

std::string_view keyword(TypeKind kind) { return kKinds[static_cast<std::size_t>(kind)].keyword; }
Version since(TypeKind kind) { return kKinds[static_cast<std::size_t>(kind)].since; }
unsigned bit_width(TypeKind kind) { return kKinds[static_cast<std::size_t>(kind)].bits; }

std::uint64_t element_count(const Type& tile) {
  std::uint64_t count = 1;
  for (std::int64_t extent : tile.shape) {
    if (__builtin_mul_overflow(count, static_cast<std::uint64_t>(extent), &count)) {
      return std::numeric_limits<std::uint64_t>::max();
    }
  }
  return count;
}

}  // namespace tileport::ir
