// SPDX-License-Identifier: Apache-2.0
// Read access to one op that remembers what was read, so that nothing of an op can be lost in silence.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tileport/ir/module.hpp>

namespace tileport::translate {

class OpReader {
 public:
  OpReader(const ir::Module& module, ir::OpId id) : module_(module), id_(id), info_(*module.op(id).info) {}

  ir::OpId id() const { return id_; }
  const ir::OpInfo& info() const { return info_; }
  std::string_view mnemonic() const { return info_.mnemonic; }

  ir::ValueId operand(std::string_view group);
  std::optional<ir::ValueId> optional_operand(std::string_view group);
  std::span<const ir::ValueId> operands(std::string_view group);
  /// All operands of ops whose groups are one operand each.
  std::span<const ir::ValueId> all_operands();

  bool flag(std::string_view name);
  /// Name of an enumeration's value; empty if absent and without default.
  std::string_view enumerator(std::string_view attribute);
  std::uint64_t word(std::string_view attribute);
  /// Null if absent.
  const ir::Attribute* tagged(std::string_view attribute);

  std::size_t results() const { return module_.op(id_).results.count; }
  ir::ValueId result(std::size_t i = 0) const { return module_.result(id_, i); }
  ir::TypeId result_type(std::size_t i = 0) const { return module_.value(result(i)).type; }

  /// What is there and was not asked for, in words: "attribute 'inbounds', operand 'mask'"; empty if nothing.
  std::string unread() const;

 private:
  void read_attribute(std::string_view name);

  const ir::Module& module_;
  ir::OpId id_;
  const ir::OpInfo& info_;
  std::uint32_t attributes_read_ = 0;
  std::uint32_t groups_read_ = 0;
  std::uint32_t flags_read_ = 0;
};

}  // namespace tileport::translate
