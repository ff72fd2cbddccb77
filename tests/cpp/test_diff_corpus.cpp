// SPDX-License-Identifier: Apache-2.0
// Real kernels of tests/data/diff: each equals itself; each single edit of a live op is found, at the op or
// at the op that uses its result; a reference and the port that cutile made of it are equal up to notes.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <set>
#include <tileport/bytecode/read.hpp>
#include <tileport/diff/compare.hpp>

#include "test_data.hpp"

using namespace tileport;
using ir::Module;
using ir::OpId;
using ir::Trait;
using ir::ValueId;

namespace {

std::vector<std::filesystem::path> references() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(test_data() / "diff")) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".tileirbc") && name.find(".port.") == std::string::npos)
      files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

Module read(const std::filesystem::path& path) {
  auto module = bytecode::read_file(path.string());
  REQUIRE(module);
  return std::move(*module);
}

diff::Comparison compare(const Module& a, const Module& b) {
  auto result = diff::compare(a, b, {});
  REQUIRE(result);
  return std::move(*result);
}

std::vector<OpId> all_ops(const Module& module) {
  std::vector<OpId> ops;
  ir::walk(module, module.functions[0].body, [&](OpId id) { ops.push_back(id); });
  return ops;
}

/// Ops that matter, by a fixpoint of our own: what has an effect, and what such an op uses.
std::set<OpId> live_ops(const Module& module) {
  std::set<OpId> live;
  const auto ops = all_ops(module);
  std::size_t before = 1;
  while (before != live.size()) {
    before = live.size();
    for (const OpId id : ops) {
      const bool pure =
          has(module.op(id).info->traits, Trait::pure) || has(module.op(id).info->traits, Trait::promises);
      if (pure && !live.contains(id)) continue;
      live.insert(id);
      for (const ValueId operand : module.operands(id)) {
        if (const auto producer = module.producer_of(operand)) live.insert(*producer);
      }
    }
    // What stands in a dead region doesn't matter.
    std::erase_if(live, [&](OpId id) {
      const auto parent = module.parent_op(id);
      return parent && !live.contains(*parent);
    });
  }
  return live;
}

/// The op and all ops that use its results, through assumes and reshapes too.
std::set<std::string> places_of(const Module& module, OpId id) {
  std::set<OpId> ops{id};
  for (bool grown = true; grown;) {
    grown = false;
    for (const OpId user : all_ops(module)) {
      if (ops.contains(user)) continue;
      for (const ValueId operand : module.operands(user)) {
        const auto producer = module.producer_of(operand);
        if (!producer || !ops.contains(*producer)) continue;
        const ir::OpInfo& info = *module.op(*producer).info;
        const bool hands_on = has(info.traits, Trait::promises) || info.is("reshape") || info.is("broadcast");
        if (*producer == id || hands_on) grown |= ops.insert(user).second;
      }
    }
  }
  std::set<std::string> paths;
  for (const OpId op : ops) paths.insert(module.access_path(op));
  return paths;
}

struct Edit {
  std::string name;
  std::function<bool(Module&, OpId)> apply;  ///< Whether it could change anything.
};

ir::AttributeSlot* slot(Module& module, OpId id, ir::Encoding encoding) {
  const ir::Operation& op = module.op(id);
  for (std::uint32_t i = 0; i < op.attributes.count; ++i) {
    ir::AttributeSlot& one = module.attribute_slots[op.attributes.first + i];
    if (op.info->attributes[i].encoding == encoding && one.present) return &one;
  }
  return nullptr;
}

bool next_enumerator(Module& module, OpId id) {
  const ir::Operation& op = module.op(id);
  for (std::uint32_t i = 0; i < op.attributes.count; ++i) {
    const ir::AttributeInfo& info = op.info->attributes[i];
    ir::AttributeSlot& one = module.attribute_slots[op.attributes.first + i];
    if (info.encoding != ir::Encoding::enumeration || !one.present) continue;
    one.word = (one.word + 1) % info.enumeration->values.size();
    return true;
  }
  return false;
}

bool other_integer(Module& module, OpId id) {
  ir::AttributeSlot* one = slot(module, id, ir::Encoding::integer);
  if (one != nullptr) ++one->word;
  return one != nullptr;
}

bool other_constant(Module& module, OpId id) {
  ir::AttributeSlot* one = slot(module, id, ir::Encoding::constant);
  if (one == nullptr) return false;
  std::string raw = module.constants[one->word];
  const auto kind = module.type(module.type_of(module.result(id, 0)).element).kind;
  raw[0] = static_cast<char>(raw[0] ^ (kind == ir::TypeKind::i1 ? 0xff : 0x01));
  module.constants.push_back(raw);
  one->word = module.constants.size() - 1;
  return true;
}

bool other_flag(Module& module, OpId id) {
  ir::Operation& op = module.ops[ir::index(id)];
  for (std::size_t i = 0; i < op.info->flags.size(); ++i) {
    if (op.info->flags[i].kind != ir::FlagInfo::Kind::unit_attribute) continue;
    op.flags ^= 1U << i;
    return true;
  }
  return false;
}

bool swapped_operands(Module& module, OpId id) {
  const ir::Operation& op = module.op(id);
  if (op.operands.count < 2 || has(op.info->traits, Trait::commutative) || op.info->is("join_tokens"))
    return false;
  ValueId& first = module.operand_pool[op.operands.first];
  ValueId& second = module.operand_pool[op.operands.first + 1];
  const bool same =
      first == second || !ir::same_type(module, module.value(first).type, module, module.value(second).type);
  if (same) return false;
  // Two constants of the same content are the same value.
  const auto a = module.producer_of(first);
  const auto b = module.producer_of(second);
  if (a && b && module.op(*a).info->is("constant") && module.op(*b).info->is("constant")) return false;
  std::swap(first, second);
  return true;
}

/// The last operand of an op that may do without: a token, a mask, a padding value.
bool without_last(Module& module, OpId id) {
  ir::Operation& op = module.ops[ir::index(id)];
  if (op.segments == ir::kNone) return false;
  std::size_t last = op.info->operands.size() - 1;
  while (last > 0 && module.segments(id)[last] == 0) --last;
  if (op.info->operands[last].arity != ir::Arity::optional) return false;
  module.segment_pool[op.segments + last] = 0;
  op.operands.count -= 1;
  return true;
}

bool without_assume(Module& module, OpId id) {
  if (!module.op(id).info->is("assume")) return false;
  const ValueId result = module.result(id, 0);
  const ValueId operand = module.operand(id, 0);
  std::ranges::replace(module.operand_pool, result, operand);
  auto& ops = module.blocks[ir::index(module.op(id).parent)].ops;
  ops.erase(std::ranges::find(ops, id));
  return true;
}

bool stronger_assume(Module& module, OpId id) {
  if (!module.op(id).info->is("assume")) return false;
  ir::AttributeSlot* one = slot(module, id, ir::Encoding::attribute);
  ir::Attribute predicate = module.attributes[one->word];
  if (predicate.kind == ir::Attribute::Kind::div_by) {
    predicate.bits *= 64;
  } else {
    predicate.first = predicate.first.value_or(0) + 1;
  }
  module.attributes.push_back(predicate);
  one->word = module.attributes.size() - 1;
  return true;
}

bool without_hints(Module& module, OpId id) {
  ir::AttributeSlot* one = slot(module, id, ir::Encoding::optimization_hints);
  if (one == nullptr) return false;
  const ir::Attribute& hints = module.attributes[one->word];
  const bool says_nothing = std::ranges::all_of(
      hints.items, [&](ir::AttributeId id) { return module.attribute(id).items.empty(); });
  if (says_nothing) return false;
  one->present = false;
  return true;
}

bool other_padding(Module& module, OpId id) {
  if (!module.op(id).info->is("make_partition_view")) return false;
  ir::Value& result = module.values[module.op(id).results.first];
  ir::Type type = module.type(result.type);
  type.padding = type.padding ? std::nullopt : std::optional(ir::PaddingValue::nan);
  module.types.push_back(type);
  result.type = ir::TypeId{static_cast<std::uint32_t>(module.types.size() - 1)};
  return true;
}

const std::vector<Edit>& edits() {
  static const std::vector<Edit> all = {
      {"next enumerator", next_enumerator},   {"other integer", other_integer},
      {"other constant", other_constant},     {"other flag", other_flag},
      {"swapped operands", swapped_operands}, {"without last operand", without_last},
      {"without assume", without_assume},     {"stronger assume", stronger_assume},
      {"without hints", without_hints},       {"other padding", other_padding},
  };
  return all;
}

/// A removed assume counts if nothing else says the same of what it was about.
bool says_something(const Module& module, OpId id) {
  const auto& predicate = *module.tagged(id, "predicate");
  for (auto at = module.producer_of(module.operand(id, 0)); at && module.op(*at).info->is("assume");
       at = module.producer_of(module.operand(*at, 0))) {
    const auto& other = *module.tagged(*at, "predicate");
    if (other.kind == predicate.kind && other.bits == predicate.bits && other.first == predicate.first)
      return false;
  }
  for (const OpId user : all_ops(module)) {
    if (!module.op(user).info->is("assume")) continue;
    ValueId at = module.operand(user, 0);
    while (true) {
      if (at == module.result(id, 0)) {
        const auto& other = *module.tagged(user, "predicate");
        if (other.kind == predicate.kind && other.bits == predicate.bits && other.first == predicate.first)
          return false;
      }
      const auto producer = module.producer_of(at);
      if (!producer || !module.op(*producer).info->is("assume")) break;
      at = module.operand(*producer, 0);
    }
  }
  return true;
}

}  // namespace

TEST_CASE("real kernels equal themselves, without a note", "[diff]") {
  REQUIRE(references().size() >= 6);
  for (const auto& path : references()) {
    INFO(path);
    const Module module = read(path);
    const auto result = compare(module, module);
    CHECK(result.equality == diff::Equality::equal);
    CHECK(result.notes.empty());
  }
}

TEST_CASE("no two of the kernels are equal", "[diff]") {
  const auto files = references();
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (std::size_t j = i + 1; j < files.size(); ++j) {
      INFO(files[i] << " " << files[j]);
      CHECK(compare(read(files[i]), read(files[j])).equality == diff::Equality::differs);
    }
  }
}

TEST_CASE("every single edit of a live op is found at its place", "[diff]") {
  int made = 0;
  for (const auto& path : references()) {
    const Module original = read(path);
    const auto live = live_ops(original);
    for (const Edit& edit : edits()) {
      for (const OpId id : live) {
        Module edited = original;
        if (!edit.apply(edited, id)) continue;
        if (edit.name == "without assume" && !says_something(original, id)) continue;
        ++made;
        INFO(path.filename() << ": " << edit.name << " of " << original.access_path(id));
        const auto result = compare(original, edited);
        CHECK(result.equality == diff::Equality::differs);
        for (const auto& finding : result.findings) {
          UNSCOPED_INFO(finding.message << "\n  " << finding.reference.path << "\n  " << finding.port.path);
        }
        const auto places = places_of(original, id);
        const bool placed = std::ranges::any_of(result.findings, [&](const diff::Finding& finding) {
          return places.contains(finding.reference.path) || places.contains(finding.port.path);
        });
        CHECK(placed);
      }
    }
  }
  CHECK(made > 500);
}

TEST_CASE("whatever the reader accepts can be compared", "[diff]") {
  std::mt19937 random(5);
  int compared = 0;
  for (const auto& path : references()) {
    const Module original = read(path);
    std::ifstream in(path, std::ios::binary);
    const std::string content((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    for (int i = 0; i < 60; ++i) {
      std::string damaged = content;
      damaged[random() % damaged.size()] ^= static_cast<char>(1U << random() % 8);
      const auto module = bytecode::read(std::as_bytes(std::span(damaged)));
      if (!module) continue;
      ++compared;
      const auto against = diff::compare(original, *module, {});
      const auto itself = diff::compare(*module, *module, {});
      CHECK(against.has_value() == itself.has_value());
      if (itself) CHECK(itself->equality == diff::Equality::equal);
      if (!itself) CHECK(itself.error().front().code.starts_with("TP-D"));
    }
  }
  CHECK(compared > 100);
}

TEST_CASE("a reference and its port are equal up to notes", "[diff]") {
  int pairs = 0;
  for (const auto& path : references()) {
    std::filesystem::path port = path;
    port.replace_extension(".port.sm_90.tileirbc");
    if (!std::filesystem::exists(port)) continue;
    ++pairs;
    INFO(path);
    const auto result = compare(read(path), read(port));
    for (const auto& finding : result.findings) UNSCOPED_INFO(finding.message);
    CHECK(result.equality == diff::Equality::equal_up_to);
    const auto has_note = [&](std::string_view rule) {
      return std::ranges::count(result.notes, rule, &diff::Note::rule) == 1;
    };
    CHECK(has_note("entry_name"));
    CHECK(has_note("debug_locations"));
  }
  CHECK(pairs >= 3);
}

// cutile 0.5.0 reads bf16::NEG_INFINITY as a pattern of f16 and writes a NaN. This port was made before the
// translator knew that.
TEST_CASE("a wrong constant of a real port is found at its line of kernel.rs", "[diff]") {
  const auto folder = test_data() / "diff";
  const auto result = compare(read(folder / "_softmax_kernel__1a724f7854.tileirbc"),
                              read(folder / "_softmax_kernel__1a724f7854.port.faulty.tileirbc"));
  CHECK(result.equality == diff::Equality::differs);
  REQUIRE(result.findings.size() == 1);
  for (const diff::Finding& finding : result.findings) {
    CHECK(finding.message == "the constant is <bf16: 0xFF80> in the reference, <bf16: 0xFFF0> in the port");
    CHECK(finding.kind == diff::FindingClass::mistranslation);
    CHECK(finding.reference.file.ends_with("softmax.py"));
    CHECK(finding.reference.line > 0);
    CHECK(finding.port.file == "kernel.rs");
    CHECK(finding.port.text == "constant <bf16: 0xFFF0> : tile<bf16>");
  }
  CHECK(result.findings[0].port.line == 78);
}
