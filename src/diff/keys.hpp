// SPDX-License-Identifier: Apache-2.0
// Structural identity. Types, attributes, values and regions of both modules are written as keys and interned
// in one table, so that equal numbers mean equal structure, exactly: no hash can collide.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tileport/ir/module.hpp>
#include <unordered_map>
#include <vector>

namespace tileport::diff {

/// The number of an interned structure.
using Id = std::uint32_t;

/// A key under construction: a tag, then numbers and strings that can't run into each other.
class Key {
 public:
  explicit Key(std::string_view tag) { add(tag); }
  Key& add(std::uint64_t number) {
    text_.append(reinterpret_cast<const char*>(&number), sizeof number);
    return *this;
  }
  Key& add(std::string_view text) {
    add(static_cast<std::uint64_t>(text.size()));
    text_.append(text);
    return *this;
  }
  template <class Number>
  Key& add(const std::vector<Number>& numbers) {
    add(static_cast<std::uint64_t>(numbers.size()));
    for (const Number number : numbers) add(static_cast<std::uint64_t>(number));
    return *this;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

class Interner {
 public:
  Id operator()(const Key& key) {
    return ids_.try_emplace(key.text(), static_cast<Id>(ids_.size())).first->second;
  }

 private:
  std::unordered_map<std::string, Id> ids_;
};

/// A constant's content: one element's bits if all are equal, or all bytes.
struct ConstantContent {
  std::optional<std::uint64_t> splat;
  std::string elements;  ///< Empty for a splat.
};

/// Content of a constant tile of `type`; i1 elements are read from their packed bits.
ConstantContent constant_content(const ir::Module& module, ir::TypeId type, ir::ConstantId constant);

/// Keys of one module's types and attributes in the shared table.
class ModuleKeys {
 public:
  ModuleKeys(const ir::Module& module, Interner& interner) : module_(module), interner_(interner) {}
  Id type(ir::TypeId id);
  Id type(const ir::Type& type);
  Id attribute(ir::AttributeId id);
  /// The content of one of an op's attributes; absent and default are the same.
  Id slot(ir::OpId id, std::size_t attribute);
  /// Of a constant with this content, wherever it came from.
  Id constant(Id type, const ConstantContent& content) const;

 private:
  const ir::Module& module_;
  Interner& interner_;
  std::unordered_map<std::uint32_t, Id> types_;
};

}  // namespace tileport::diff
