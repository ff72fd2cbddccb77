// SPDX-License-Identifier: Apache-2.0
// Structural identity. Types, attributes, values and regions of both modules are written as keys and interned
// in one table, so that equal numbers mean equal structure, exactly: no hash can collide.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <tileport/ir/module.hpp>
#include <unordered_map>
#include <vector>

namespace tileport::diff {

/// The number of an interned structure.
using Id = std::uint32_t;

/// A key under construction: a tag, then numbers and strings that can't run into each other. Short ones,
/// which most are, need no memory of their own.
class Key {
 public:
  explicit Key(std::string_view tag) { add(tag); }
  Key& add(std::uint64_t number) {
    append(reinterpret_cast<const char*>(&number), sizeof number);
    return *this;
  }
  Key& add(std::string_view text) {
    add(static_cast<std::uint64_t>(text.size()));
    append(text.data(), text.size());
    return *this;
  }
  template <class Number>
  Key& add(const std::vector<Number>& numbers) {
    add(static_cast<std::uint64_t>(numbers.size()));
    for (const Number number : numbers) add(static_cast<std::uint64_t>(number));
    return *this;
  }
  std::string_view bytes() const {
    return long_.empty() ? std::string_view(short_.data(), size_) : std::string_view(long_);
  }
  std::string text() const { return std::string(bytes()); }

 private:
  void append(const char* bytes, std::size_t count) {
    if (long_.empty() && size_ + count <= short_.size()) {
      std::memcpy(short_.data() + size_, bytes, count);
      size_ += count;
      return;
    }
    if (long_.empty()) long_.assign(short_.data(), size_);
    long_.append(bytes, count);
  }

  std::array<char, 232> short_;  // NOLINT: what is not written is not read.
  std::size_t size_ = 0;
  std::string long_;  ///< All of it, if it is long.
};

/// Numbers keys by content. Open addressing over one arena: a look-up touches one slot and the key itself.
class Interner {
 public:
  Interner() : slots_(1024) {}
  Id operator()(const Key& key);

 private:
  struct Slot {
    std::uint64_t hash = 0;
    Id id = 0;  ///< One more than the number; 0: free.
  };
  struct Stored {
    std::size_t offset;
    std::size_t size;
  };
  void grow();

  std::vector<Slot> slots_;
  std::vector<Stored> stored_;  ///< By number.
  std::string arena_;
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
