// SPDX-License-Identifier: Apache-2.0
// The verifier as a whole: modules whose tables contradict each other, debug information, several findings,
// and that every rule has a module that it alone refuses.
#include <algorithm>

#include "verify_refusals.hpp"

namespace verify = tileport::verify;
using namespace verify_refusals;  // NOLINT: the words of these tests
using ir::DebugEntry;
using ir::DebugId;

namespace {

struct Broken {
  std::string_view code;
  std::string path;
  std::function<void(ir::Module&)> change;
};

/// addi of two arguments, and an empty if.
ir::Module good() {
  Kernel k;
  const TypeId i32 = k.tile(TypeKind::i32);
  const ValueId a = k.parameter(i32);
  const ValueId b = k.parameter(k.tile(TypeKind::i1));
  k.make("addi", {a, a}, i32);
  const auto op = k.op("if", {b}, {});
  k.open(op, 0);
  k.op("yield", {}, {});
  k.close();
  return k.finish();
}

std::vector<Broken> broken_modules() {
  return {
      {"TP-V0001", "", [](ir::Module& m) { m.values[0].type = TypeId{99}; }},
      {"TP-V0001", "", [](ir::Module& m) { m.operand_pool[0] = ValueId{99}; }},
      {"TP-V0001", "", [](ir::Module& m) { m.types[1].element = TypeId{99}; }},
      {"TP-V0013", "@k", [](ir::Module& m) { m.types[1].element = TypeId{1}; }},
      {"TP-V0001", "", [](ir::Module& m) { m.blocks[0].ops.push_back(ir::OpId{0}); }},
      {"TP-V0001", "", [](ir::Module& m) { m.blocks[0].ops.push_back(ir::OpId{99}); }},
      {"TP-V0001", "", [](ir::Module& m) { m.blocks[1].parent = ir::RegionId{1}; }},
      {"TP-V0001", "", [](ir::Module& m) { m.regions[0].parent = ir::OpId{0}; }},
      {"TP-V0001", "", [](ir::Module& m) { m.functions[0].name = ir::StringId{99}; }},
      {"TP-V0001", "", [](ir::Module& m) { m.functions[0].body = ir::BlockId{1}; }},
      {"TP-V0001", "", [](ir::Module& m) { m.attribute_slots[0] = {99, true}; }},
      {"TP-V0002", "@k/addi#0", [](ir::Module& m) { m.ops[0].results.count = 0; }},
      {"TP-V0002", "@k/addi#0", [](ir::Module& m) { m.ops[0].operands.count = 1; }},
      {"TP-V0002", "@k/if#0", [](ir::Module& m) { m.regions[0].blocks.count = 0; }},
      {"TP-V0003", "@k/addi#0", [](ir::Module& m) { m.operand_pool[0] = m.result(ir::OpId{0}, 0); }},
      {"TP-V0004", "@k/if#0", [](ir::Module& m) { m.blocks[1].ops.clear(); }},
      {"TP-V0004", "@k/if#0", [](ir::Module& m) { m.blocks[0].ops.pop_back(); }},
      {"TP-V0004", "@k", [](ir::Module& m) { m.blocks[0].ops.clear(); }},
      {"TP-V0007", "@k",
       [](ir::Module& m) { m.types[static_cast<std::size_t>(m.functions[0].type)].inputs.pop_back(); }},
      {"TP-V0010", "@k/if#0", [](ir::Module& m) { m.blocks[1].arguments = {0, 1}; }},
      {"TP-V0011", "@k",
       [](ir::Module& m) {
         m.attributes.emplace_back();
         m.functions[0].hints = ir::AttributeId{static_cast<std::uint32_t>(m.attributes.size() - 1)};
       }},
  };
}

/// Entries of one file, its unit, the subprograms "k" and "other", and a place in each.
struct Places {
  DebugId in_k{};
  DebugId in_other{};
  DebugId in_block{};
  DebugId subprogram{};
};

Places add_places(ir::Module& m) {
  const auto string = [&](const std::string& text) {
    m.strings.push_back(text);
    return ir::StringId{static_cast<std::uint32_t>(m.strings.size() - 1)};
  };
  const auto add = [&](DebugEntry entry) {
    m.debug.push_back(entry);
    return DebugId{static_cast<std::uint32_t>(m.debug.size() - 1)};
  };
  const ir::StringId k = string("k");
  const ir::StringId other = string("other");
  const DebugId file =
      add({.kind = DebugEntry::Kind::file, .name = string("a.py"), .other_name = string("/src")});
  const DebugId unit = add({.kind = DebugEntry::Kind::compile_unit, .file = file});
  const auto subprogram = [&](ir::StringId name) {
    return add({.kind = DebugEntry::Kind::subprogram,
                .scope = unit,
                .file = file,
                .name = name,
                .other_name = name,
                .line = 3});
  };
  const auto place = [&](DebugId scope) {
    return add({.kind = DebugEntry::Kind::location,
                .scope = scope,
                .name = m.debug_entry(file).name,
                .line = 5,
                .column = 7});
  };
  Places places;
  places.subprogram = subprogram(k);
  places.in_k = place(places.subprogram);
  places.in_other = place(subprogram(other));
  places.in_block =
      place(add({.kind = DebugEntry::Kind::lexical_block, .scope = places.subprogram, .file = file}));
  return places;
}

std::vector<Broken> misplaced() {
  return {
      {"TP-V1001", "@k",
       [](ir::Module& m) {
         const Places places = add_places(m);
         m.debug.push_back(
             {.kind = DebugEntry::Kind::call_site, .scope = places.in_other, .caller = places.in_k});
         m.functions[0].location = DebugId{static_cast<std::uint32_t>(m.debug.size() - 1)};
       }},
      {"TP-V1002", "@k", [](ir::Module& m) { m.functions[0].location = add_places(m).in_block; }},
      {"TP-V1003", "@k", [](ir::Module& m) { m.functions[0].location = add_places(m).in_other; }},
      {"TP-V1004", "@k/addi#0", [](ir::Module& m) { m.ops[0].location = add_places(m).in_k; }},
      {"TP-V1004", "@k/addi#0",
       [](ir::Module& m) {
         const Places places = add_places(m);
         m.functions[0].location = places.in_k;
         m.ops[0].location = places.in_other;
       }},
      {"TP-V1005", "", [](ir::Module& m) { m.ops[0].location = add_places(m).subprogram; }},
      {"TP-V0001", "", [](ir::Module& m) { m.functions[0].location = DebugId{99}; }},
  };
}

void check_broken(const std::vector<Broken>& all) {
  for (const Broken& broken : all) {
    ir::Module module = good();
    REQUIRE(verify::verify(module).empty());
    broken.change(module);
    require_only(module, broken.code, broken.path);
  }
}

}  // namespace

TEST_CASE("verify: modules whose tables contradict each other", "[verify]") {
  check_broken(broken_modules());
}

TEST_CASE("verify: types that nothing uses may be anything, as readers take them", "[verify]") {
  ir::Module module = good();
  Type tile;
  tile.kind = TypeKind::tile;
  tile.element = TypeId{static_cast<std::uint32_t>(module.types.size())};
  tile.shape = {3};
  module.types.push_back(tile);
  CHECK(verify::verify(module).empty());
}

TEST_CASE("verify: debug information", "[verify]") {
  check_broken(misplaced());
  ir::Module module = good();
  const Places places = add_places(module);
  module.functions[0].location = places.in_k;
  module.ops[0].location = places.in_block;
  CHECK(verify::verify(module).empty());
}

TEST_CASE("verify: all findings are reported, with their places in the source", "[verify]") {
  Kernel k;
  const TypeId i32 = k.tile(TypeKind::i32);
  const ValueId a = k.parameter(i32);
  k.make("addf", {a, a}, i32);
  k.make("iota", {}, i32);
  k.module.version = {13, 5};
  ir::Module module = k.finish();
  module.file = "bad.tileirbc";
  module.origins = {{.offset = 0x40}, {.offset = 0x48}};
  const Places places = add_places(module);
  module.functions[0].location = places.in_k;
  module.ops[1].location = places.in_k;
  const auto findings = verify::verify(module);
  INFO(describe(findings));
  REQUIRE(findings.size() == 4);
  CHECK(findings[0].place.path == "@k/addf#0");
  CHECK(findings[0].place.offset == 0x40);
  CHECK(findings[0].place.source.empty());
  CHECK(findings[3].code == "TP-V0410");
  CHECK(to_string(findings[3]) ==
        "bad.tileirbc:0x48: @k/iota#0: error: iota makes a tile of rank 1, got tile<i32> [TP-V0410]\n"
        "  from a.py:5:7 in k");
}

TEST_CASE("verify: the sign that cuda-tile 1.7.0 loses", "[verify]") {
  Kernel k;
  const TypeId f64 = k.tile(TypeKind::f64);
  ir::Attribute identity;
  identity.kind = ir::Attribute::Kind::floating;
  identity.type = k.element(TypeKind::f64);
  identity.bits = 0x7FF0000000000000;
  identity.sign_lost = true;
  ir::Attribute list;
  list.kind = ir::Attribute::Kind::array;
  list.items = {ir::AttributeId{static_cast<std::uint32_t>(k.attribute(identity))}};
  const auto reduce =
      k.op("reduce", {tile(k, TypeKind::f64, {8})}, {f64}, {{"dim", 0}, {"identities", k.attribute(list)}});
  const Values inside = k.open(reduce, 0, {f64, f64});
  k.op("yield", {k.make("maxf", inside, f64)}, {});
  k.close();
  const ir::Module module = k.finish();
  const auto findings = verify::verify(module);
  INFO(describe(findings));
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].code == "TP-V0715");
  CHECK(findings[0].severity == tileport::Severity::warning);
  CHECK(findings[0].message.find("cuda-tile 1.7.0") != std::string::npos);
  CHECK_FALSE(verify::has_errors(findings));
  CHECK(verify::has_errors(verify::verify(module, {.strict = true})));
}

TEST_CASE("verify: hints that no compiler heeds", "[verify]") {
  const auto codes = [](const std::string& target, const std::string& key, std::int64_t number) {
    Kernel k;
    k.module.functions[0].hints = ir::AttributeId{static_cast<std::uint32_t>(k.hints(target, key, number))};
    const TypeId f32 = k.tile(TypeKind::f32);
    k.op("load_ptr_tko", {any(k, k.pointers(TypeKind::f32))}, {f32, k.token()},
         {{"memory_ordering_semantics", 0}, {"optimization_hints", k.hints("sm_90", "latency", number)}},
         {1, 0, 0, 0});
    std::string text;
    for (const auto& finding : verify::verify(k.finish())) {
      CHECK(finding.severity == tileport::Severity::warning);
      text += finding.code + " " + finding.place.path + "; ";
    }
    return text;
  };
  CHECK(codes("default", "occupancy", 8).empty());
  CHECK(codes("sm_90", "num_cta_in_cga", 2).empty());
  CHECK(codes("sm_75", "occupancy", 8) == "TP-V0016 @k; ");
  CHECK(codes("sm_90", "latency", 8) == "TP-V0017 @k; ");
  CHECK(codes("sm_90", "num_cta_in_cga", 3) == "TP-V0018 @k; ");
  CHECK(codes("sm_90", "occupancy", 32) == "TP-V0018 @k/load_ptr_tko#0; ");
  CHECK(codes("sm_90", "occupancy", 0) == "TP-V0018 @k; TP-V0018 @k/load_ptr_tko#0; ");
}

TEST_CASE("verify: what architectures can't do", "[verify]") {
  const auto verdict = [](TypeKind element, bool multicast, const std::string& target) {
    Kernel k;
    k.module.version = {13, 5};
    Type pointer;
    pointer.kind = TypeKind::pointer;
    pointer.element = k.element(element);
    if (multicast) pointer.pointer_attribute = ir::PointerAttribute::multicast;
    const TypeId pointers = k.tile(k.type(pointer));
    // Arguments that no op uses are no concern.
    k.parameter(k.tile(TypeKind::fnv8E5M3FNU));
    k.make("offset", {k.parameter(pointers), k.parameter(k.tile(TypeKind::i32))}, pointers);
    const auto findings = verify::verify(k.finish(), {.target = target});
    return findings.empty() ? std::string() : findings[0].code + " " + findings[0].place.path;
  };
  const std::string element = "TP-V1101 @k/offset#0";
  CHECK(verdict(TypeKind::f32, false, "sm_80").empty());
  CHECK(verdict(TypeKind::f8E5M2, false, "sm_88") == element);
  CHECK(verdict(TypeKind::f8E5M2, false, "sm_89").empty());
  CHECK(verdict(TypeKind::f4E2M1FN, false, "sm_90") == element);
  CHECK(verdict(TypeKind::f4E2M1FN, false, "sm_100").empty());
  CHECK(verdict(TypeKind::f8E8M0FNU, false, "sm_90") == element);
  CHECK(verdict(TypeKind::fnv8E5M3FNU, false, "sm_103") == element);
  CHECK(verdict(TypeKind::fnv8E5M3FNU, false, "sm_107").empty());
  CHECK(verdict(TypeKind::f32, true, "sm_90") == "TP-V1102 @k/offset#0");
  CHECK(verdict(TypeKind::f32, true, "sm_120") == "TP-V1102 @k/offset#0");
  CHECK(verdict(TypeKind::f32, true, "sm_103").empty());
  CHECK(verdict(TypeKind::f32, false, "sm_75") == "TP-V1103 ");
}

TEST_CASE("verify: what readers pass over", "[verify]") {
  using tileport::bytecode::Layout;
  const auto codes = [](const Layout& layout) {
    std::string text;
    for (const auto& finding : verify::verify(good(), layout, {})) {
      CHECK(finding.severity == tileport::Severity::warning);
      text += finding.code + " " + finding.place.path;
    }
    return text;
  };
  CHECK(codes({}).empty());
  CHECK(codes({.sections = {{.id = 1, .replaced = "x"}}}) == "TP-V1201 ");
  CHECK(codes({.deviations = {{Layout::Item::type, 0, Layout::kTail, 0, "x"}}}) == "TP-V1202 ");
  CHECK(codes({.deviations = {{Layout::Item::functions, 0, Layout::kTail, 0, "\xCB\xCB"}}}).empty());
  CHECK(codes({.deviations = {{Layout::Item::op, 0, 1, 3, "\x83\x00"}}}) == "TP-V1203 @k/addi#0");
  Layout table;
  table.tables[Layout::Item::strings] = {};
  CHECK(codes(table) == "TP-V1204 ");
}

TEST_CASE("verify: every rule has a module that it alone refuses", "[verify]") {
  std::set<std::string_view> tested;
  for (const auto& refusals : {arith_refusals(), memory_refusals(), control_refusals(), view_refusals()}) {
    for (const Refusal& refusal : refusals) tested.insert(refusal.code);
  }
  for (const auto& all : {broken_modules(), misplaced()}) {
    for (const Broken& broken : all) tested.insert(broken.code);
  }
  // Each constraint of the op table has its own test: test_verify_rows.cpp. The last ones are above.
  for (const char* code : {"TP-V0020", "TP-V0021", "TP-V0022", "TP-V0023", "TP-V0024", "TP-V0025", "TP-V0026",
                           "TP-V0027", "TP-V0028", "TP-V0715", "TP-V0016", "TP-V0017", "TP-V0018", "TP-V1101",
                           "TP-V1102", "TP-V1103", "TP-V1201", "TP-V1202", "TP-V1203", "TP-V1204"}) {
    tested.insert(code);
  }
  std::string_view last;
  for (const verify::Rule& rule : verify::rules()) {
    INFO(rule.code);
    CHECK(rule.code > last);
    CHECK(tested.contains(rule.code));
    CHECK_FALSE(rule.holds.empty());
    CHECK_FALSE(rule.source.empty());
    last = rule.code;
  }
  CHECK(tested.size() == verify::rules().size());
}
