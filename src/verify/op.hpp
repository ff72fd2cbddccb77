// SPDX-License-Identifier: Apache-2.0
// An op as the rules see it: its groups, types and attributes by the names of the op table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tileport/ir/module.hpp>
#include <vector>

namespace tileport::verify {

/// The values of one operand or result group.
class Values {
 public:
  explicit Values(std::span<const ir::ValueId> operands)
      : operands_(operands.data()), size_(operands.size()) {}
  Values(std::uint32_t first_result, std::size_t count) : first_(first_result), size_(count) {}

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  ir::ValueId operator[](std::size_t i) const {
    return operands_ ? operands_[i] : ir::ValueId{first_ + static_cast<std::uint32_t>(i)};
  }

 private:
  const ir::ValueId* operands_ = nullptr;
  std::uint32_t first_ = 0;
  std::size_t size_ = 0;
};

class Op {
 public:
  Op(const ir::Module& module, ir::OpId id) : module(module), id(id), info(*module.op(id).info) {}

  const ir::Module& module;
  const ir::OpId id;
  const ir::OpInfo& info;

  std::string_view mnemonic() const { return info.mnemonic; }
  /// A group by its name; the row must have it.
  Values values(std::string_view group) const;
  bool has(std::string_view group) const { return !values(group).empty(); }

  /// The type of a group's value; the group must not be empty.
  const ir::Type& type(std::string_view group, std::size_t i = 0) const {
    return module.type_of(values(group)[i]);
  }
  /// Of a tile.
  const std::vector<std::int64_t>& shape(std::string_view group) const { return type(group).shape; }
  /// The kind of a tile's elements.
  ir::TypeKind element(std::string_view group) const { return element_type(type(group)).kind; }
  const ir::Type& element_type(const ir::Type& tile) const { return module.type(tile.element); }

  /// A type as it stands in the text.
  std::string text(std::string_view group, std::size_t i = 0) const;

  bool flag(std::string_view name) const { return module.has_flag(id, name); }
  std::uint64_t word(std::string_view attribute) const { return *module.word(id, attribute); }
  std::string_view enumerator(std::string_view attribute) const { return module.enumerator(id, attribute); }

  /// The op whose region holds this one; nothing in a function's body.
  std::optional<ir::OpId> parent() const { return module.parent_op(id); }
};

/// Whether two types of one module are the same, whatever their ids.
inline bool same(const ir::Module& module, ir::TypeId a, ir::TypeId b) {
  return a == b || ir::same_type(module, a, module, b);
}

/// "[16, 8]"
std::string shape_text(const std::vector<std::int64_t>& shape);

}  // namespace tileport::verify
