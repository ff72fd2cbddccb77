// SPDX-License-Identifier: Apache-2.0
// Names of SSA values, as MLIR's printer gives them.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <string>
#include <string_view>
#include <tileport/ir/module.hpp>
#include <unordered_set>
#include <vector>

#include "text/literals.hpp"

namespace tileport::text {

class Names {
 public:
  Names(const ir::Module& module, const Literals& literals);

  /// What stands where the value is used: "%x", or "%x#1" for a member of a group of results.
  std::string_view use(ir::ValueId id) const { return uses_[ir::index(id)]; }
  /// What stands left of the op: "%a, %b:2 = ", or nothing if it has no results.
  void append_results(std::string& out, ir::OpId id) const;

 private:
  /// Counters of unnamed results, unnamed arguments, and suffixes of taken names.
  struct Counters {
    std::uint32_t value = 0;
    std::uint32_t argument = 0;
    std::uint32_t conflict = 0;
  };

  void name_function(const ir::Function& function);
  void name_region(ir::OpId op, ir::BlockId block, Counters counters);
  void name_block(ir::BlockId block, Counters& counters);
  void name_arguments(ir::OpId op, ir::BlockId block, Counters& counters);
  void name_results(ir::OpId op, Counters& counters);
  /// "%name", or that with a suffix if it is taken.
  std::string_view unique(std::string_view name, Counters& counters);
  std::string_view numbered(std::uint32_t number);
  /// A copy that lives as long as this object.
  std::string_view keep(std::string_view text);

  /// What an op proposes for a result.
  struct Hint {
    enum class Kind : std::uint8_t { none, empty, named };
    Kind kind = Kind::none;
    std::string_view name{};
  };
  Hint hint(ir::OpId op, std::uint32_t result);
  std::string constant_name(ir::OpId op) const;
  std::string assume_name(ir::OpId op);

  const ir::Module& module_;
  const Literals& literals_;
  std::pmr::monotonic_buffer_resource arena_;  ///< Holds the characters of all names, and what is taken.
  std::vector<std::string_view> uses_;
  std::vector<std::uint32_t> group_sizes_;  ///< Of the group that the value begins; 0 inside a group.
  std::vector<std::string_view> hints_;     ///< Of results of constant and assume.
  std::pmr::unordered_set<std::string_view> taken_{&arena_};
  std::string candidate_;  ///< A name in the making.
  std::vector<std::string_view>
      taken_here_;  ///< In the order of naming, to give them back at a region's end.
};

}  // namespace tileport::text
