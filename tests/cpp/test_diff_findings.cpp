// SPDX-License-Identifier: Apache-2.0
// Faults of a translation: each is one finding, at the op that is wrong, on both sides.
#include "debug_entries.hpp"
#include "diff_programs.hpp"

using namespace diff_programs;

namespace {

/// exp((x - max(x)) ...): the shape of a softmax row, with one thing to get wrong at a time.
struct Row {
  std::uint64_t dim = 1;
  std::string combine = "maxf";
  std::uint64_t identity = 0xff800000;
  bool swapped = false;
  std::string exp_rounding = "approx";
  bool flush = true;
  std::string function = "exp";

  void operator()(Program& q) const {
    const TypeId square = q.k.tile(TypeKind::f32, {8, 8});
    const ValueId line = q.k.make("reshape", {q.loaded(q.p)}, q.k.tile(TypeKind::f32, {1, 8}));
    const ValueId x = q.k.make("broadcast", {line}, square);
    ir::Attribute number;
    number.kind = ir::Attribute::Kind::floating;
    number.type = q.k.element(TypeKind::f32);
    number.bits = identity;
    ir::Attribute list;
    list.kind = ir::Attribute::Kind::array;
    list.items = {ir::AttributeId{static_cast<std::uint32_t>(q.k.attribute(number))}};
    const OpId reduce = q.k.op("reduce", {x}, {q.f32x8}, {{"dim", dim}, {"identities", q.k.attribute(list)}});
    const Values pair = q.k.open(reduce, 0, {q.f32, q.f32});
    const Words words = combine == "addf" ? Words{{"rounding_mode", 0}} : Words{};
    q.k.op("yield", {q.k.make(combine, pair, q.f32, words)}, {});
    q.k.close();
    const ValueId top = q.k.module.result(reduce, 0);
    const ValueId low = q.loaded(q.p);
    Words minus{{"rounding_mode", 0}};
    if (flush) minus["flush_to_zero"] = 1;
    const ValueId difference =
        q.k.make("subf", swapped ? Values{top, low} : Values{low, top}, q.f32x8, minus);
    const Words how = function == "exp" ? Words{{"rounding_mode", rounding(exp_rounding)}} : Words{};
    q.store(q.k.make(function, {difference}, q.f32x8, how));
  }
};

diff::Comparison rows(const Row& port) { return compare(Body(Row{}), Body(port)); }

}  // namespace

TEST_CASE("wrong math is one finding at its op", "[diff]") {
  Row row;
  row.dim = 0;
  finds(rows(row), "dim is 1 in the reference, 0 in the port", "@k/reduce#0", "@k/reduce#0");
  row = Row{};
  row.combine = "minf";
  finds(rows(row), "maxf in the reference, minf in the port", "@k/reduce#0/maxf#0", "@k/reduce#0/minf#0");
  row = Row{};
  row.identity = 0;
  finds(rows(row), "identities is [0xFF800000 : f32] in the reference, [0x0 : f32] in the port",
        "@k/reduce#0", "@k/reduce#0");
  row = Row{};
  row.swapped = true;
  finds(rows(row), "subf has the same operands in another order", "@k/subf#0", "@k/subf#0");
  row = Row{};
  row.exp_rounding = "full";
  finds(rows(row), "rounding_mode is approx in the reference, full in the port", "@k/exp#0", "@k/exp#0");
  row = Row{};
  row.flush = false;
  finds(rows(row), "flush_to_zero is set in the reference, not set in the port", "@k/subf#0", "@k/subf#0");
  row = Row{};
  row.function = "absf";
  finds(rows(row), "exp in the reference, absf in the port", "@k/exp#0", "@k/absf#0");
}

TEST_CASE("comparisons: predicate, signedness and ordering", "[diff]") {
  const auto mask = [](std::uint64_t predicate, std::uint64_t sign) {
    return [=](Program& q) {
      const ValueId c = q.k.make("cmpi", {q.k.make("iota", {}, q.i32x8), q.k.constant(q.i32x8, 5)}, q.i1x8,
                                 {{"comparison_predicate", predicate}, {"signedness", sign}});
      q.store(q.loaded(q.p), c);
    };
  };
  finds(compare(mask(2, 1), mask(3, 1)),
        "comparison_predicate is less_than in the reference, less_than_or_equal in the port", "@k/cmpi#0",
        "@k/cmpi#0");
  finds(compare(mask(2, 1), mask(2, 0)), "signedness is signed in the reference, unsigned in the port",
        "@k/cmpi#0", "@k/cmpi#0");
}

TEST_CASE("masks, padding and tokens", "[diff]") {
  const auto access = [](bool mask, bool padding, bool ordered) {
    return [=](Program& q) {
      const ValueId c = q.k.make("cmpi", {q.k.make("iota", {}, q.i32x8), q.k.constant(q.i32x8, 5)}, q.i1x8,
                                 {{"comparison_predicate", 2}, {"signedness", 1}});
      const ValueId zero = q.k.constant(q.f32x8, 0);
      const OpId load = q.load(q.p, c, padding ? std::optional(zero) : std::nullopt, q.start);
      const ValueId after = q.k.module.result(load, 1);
      q.store(q.k.module.result(load, 0), mask ? std::optional(c) : std::nullopt,
              ordered ? std::optional(after) : std::nullopt);
    };
  };
  const Body right = access(true, true, true);
  finds(compare(right, access(false, true, true)), "mask is given in the reference only",
        "@k/store_ptr_tko#0", "@k/store_ptr_tko#0");
  finds(compare(right, access(true, false, true)), "paddingValue is given in the reference only",
        "@k/load_ptr_tko#0", "@k/load_ptr_tko#0");
  finds(compare(right, access(true, true, false)), "token is given in the reference only",
        "@k/store_ptr_tko#0", "@k/store_ptr_tko#0");
}

TEST_CASE("a changed constant is found at the constant, through everything that uses it", "[diff]") {
  const auto body = [](std::int64_t number) {
    return [number](Program& q) {
      const ValueId scaled = q.addi(q.addi(q.n, q.integer(number)), q.m);
      q.use(scaled);
      q.use(q.addi(scaled, q.n));
    };
  };
  finds(compare(body(255), body(256)), "the constant is <i32: 255> in the reference, <i32: 256> in the port",
        "@k/constant#0", "@k/constant#0");
}

TEST_CASE("loop bounds, step and carried values", "[diff]") {
  const auto loop = [](std::int64_t start, std::int64_t step, bool grows, bool same_next = true) {
    return [=](Program& q) {
      const OpId made = q.k.op("for", {q.integer(start), q.n, q.integer(step), q.m}, {q.i32});
      const Values arguments = q.k.open(made, 0, {q.i32, q.i32});
      const ValueId next =
          grows ? q.addi(arguments[1], arguments[0]) : q.k.make("subi", {arguments[1], arguments[0]}, q.i32);
      q.k.op("continue", {same_next ? next : arguments[1]}, {});
      q.k.close();
      q.use(q.k.module.result(made, 0));
    };
  };
  const Body right = loop(0, 1, true);
  finds(compare(right, loop(7, 1, true)), "the constant is <i32: 0> in the reference, <i32: 7> in the port",
        "@k/constant#0", "@k/constant#0");
  finds(compare(right, loop(0, 2, true)), "the constant is <i32: 1> in the reference, <i32: 2> in the port",
        "@k/constant#1", "@k/constant#1");
  finds(compare(right, loop(0, 1, false)), "addi in the reference, subi in the port", "@k/for#0/addi#0",
        "@k/for#0/subi#0");
  CHECK(differs(right, loop(0, 1, true, false)));
}

TEST_CASE("the wrong axis of the grid, a wrong parameter", "[diff]") {
  const auto axis = [](std::size_t which) {
    return [which](Program& q) {
      q.use(q.k.module.result(q.k.op("get_tile_block_id", {}, {q.i32, q.i32, q.i32}), which));
    };
  };
  finds(compare(axis(0), axis(1)),
        "source of reshape is blockId_x of get_tile_block_id in the reference, blockId_y of "
        "get_tile_block_id in the port",
        "@k/reshape#0", "@k/reshape#0");
  finds(compare([](Program& q) { q.use(q.n); }, [](Program& q) { q.use(q.m); }),
        "source of reshape is parameter 1 in the reference, parameter 2 in the port", "@k/reshape#0",
        "@k/reshape#0");
}

TEST_CASE("an op that was left out or put in", "[diff]") {
  const auto body = [](bool negated) {
    return [negated](Program& q) {
      const ValueId x = q.loaded(q.p);
      q.store(q.k.make("floor", {negated ? q.k.make("negf", {x}, q.f32x8) : x}, q.f32x8));
    };
  };
  const auto put_in = compare(body(false), body(true));
  finds(put_in, "source of floor is result of load_ptr_tko in the reference, the result of negf in the port",
        "@k/floor#0", "@k/negf#0");
  const auto left_out = compare(body(true), body(false));
  finds(left_out,
        "source of floor is the result of negf in the reference, result of load_ptr_tko in the port",
        "@k/negf#0", "@k/floor#0");
  finds(compare([](Program& q) { q.store(q.loaded(q.p)); }, [](Program& q) { q.loaded(q.p); }),
        "store_ptr_tko of the reference has no counterpart in the port", "@k/store_ptr_tko#0", "@k");
}

TEST_CASE("views: padding, tile shape, dim_map, strides, element type", "[diff]") {
  struct View {
    std::optional<ir::PaddingValue> padding = ir::PaddingValue::neg_inf;
    std::vector<std::int64_t> tile{8};
    std::vector<std::int32_t> dim_map{0};
    std::int64_t stride = 1;
    std::int64_t extent = 64;
    TypeKind element = TypeKind::f32;
    bool turned = false;

    void operator()(Program& q) const {
      ir::Type tensor;
      tensor.kind = TypeKind::tensor_view;
      tensor.element = q.k.element(element);
      tensor.shape = {extent};
      tensor.strides = {stride};
      ir::Type view;
      view.kind = TypeKind::partition_view;
      view.element = q.k.type(tensor);
      view.shape = tile;
      view.dim_map = dim_map;
      view.padding = padding;
      const TypeId view_type = q.k.type(view);
      const ValueId base = q.k.make("int_to_ptr", {q.k.make("exti", {q.n}, q.i64, {{"signedness", 1}})},
                                    q.k.pointers(element));
      Values operands{base};
      if (extent == ir::kDynamic) operands.push_back(q.m);
      const ValueId whole =
          q.k.make("make_tensor_view", operands, view.element, {}, {1, extent == ir::kDynamic ? 1U : 0U, 0});
      const ValueId parts = q.k.make("make_partition_view", {whole}, view_type);
      const OpId load =
          q.k.op("load_view_tko", {parts, turned ? q.m : q.n, q.start}, {q.k.tile(element, tile), q.token},
                 {{"memory_ordering_semantics", 0}}, {1, 1, 1});
      q.k.op("store_view_tko", {q.k.module.result(load, 0), parts, q.n, q.k.module.result(load, 1)},
             {q.token}, {{"memory_ordering_semantics", 0}}, {1, 1, 1, 1});
    }
  };
  const auto views = [](const View& port) { return compare(Body(View{}), Body(port)); };
  View view;
  view.padding = ir::PaddingValue::zero;
  finds(views(view), "padding is neg_inf in the reference, zero in the port", "@k/make_partition_view#0",
        "@k/make_partition_view#0");
  view.padding = std::nullopt;
  finds(views(view), "padding is neg_inf in the reference, none in the port", "@k/make_partition_view#0",
        "@k/make_partition_view#0");
  view = View{};
  view.dim_map = {1};
  finds(views(view), "dim_map is [0] in the reference, [1] in the port", "@k/make_partition_view#0",
        "@k/make_partition_view#0");
  view = View{};
  view.turned = true;
  finds(views(view), "index[0] of load_view_tko is parameter 1 in the reference, parameter 2 in the port",
        "@k/load_view_tko#0", "@k/load_view_tko#0");
  view = View{};
  view.tile = {16};
  const auto shapes = views(view);
  REQUIRE_FALSE(shapes.findings.empty());
  CHECK(findings(shapes).find("the tile's shape is [8] in the reference, [16] in the port") !=
        std::string::npos);
  view = View{};
  view.stride = 2;
  CHECK(findings(views(view)).find("strides is [1] in the reference, [2] in the port") != std::string::npos);
  view = View{};
  view.element = TypeKind::bf16;
  CHECK(findings(views(view)).find("the element type is f32 in the reference, bf16 in the port") !=
        std::string::npos);
  view = View{};
  view.extent = ir::kDynamic;
  const auto lost = views(view);
  REQUIRE_FALSE(lost.findings.empty());
  CHECK(lost.findings.front().kind == diff::FindingClass::specialization_loss);
  CHECK(lost.findings.front().reference.path == "@k/make_tensor_view#0");
}

TEST_CASE("facts: less is a warning, more is critical", "[diff]") {
  const auto sum = [](std::string_view wrap) {
    return [wrap](Program& q) { q.use(q.addi(q.n, q.m, wrap)); };
  };
  const auto lost = compare(sum("no_signed_wrap"), sum("none"));
  finds(lost, "overflow is no_signed_wrap in the reference, none in the port", "@k/addi#0", "@k/addi#0");
  CHECK(lost.findings[0].severity == diff::FindingSeverity::warning);
  CHECK(lost.findings[0].kind == diff::FindingClass::specialization_loss);
  CHECK(lost.findings[0].effect == diff::Effect::code);
  const auto more = compare(sum("no_signed_wrap"), sum("no_wrap"));
  finds(more, "overflow is no_signed_wrap in the reference, no_wrap in the port", "@k/addi#0", "@k/addi#0");
  CHECK(more.findings[0].severity == diff::FindingSeverity::critical);
  CHECK(more.findings[0].kind == diff::FindingClass::mistranslation);
  CHECK(more.findings[0].effect == diff::Effect::value);

  const auto aligned = [](std::uint64_t divisor) {
    return [divisor](Program& q) { q.store(q.loaded(divisor == 0 ? q.p : q.k.assume_div_by(q.p, divisor))); };
  };
  const auto weaker = compare(aligned(16), aligned(4));
  finds(weaker, "the reference assumes div_by<16> of parameter 0, used by load_ptr_tko; the port doesn't",
        "@k/assume#0", "@k/load_ptr_tko#0");
  CHECK(weaker.findings[0].severity == diff::FindingSeverity::warning);
  const auto stronger = compare(aligned(4), aligned(16));
  finds(stronger, "the port assumes div_by<16> of parameter 0, used by load_ptr_tko; the reference doesn't",
        "@k/load_ptr_tko#0", "@k/assume#0");
  CHECK(stronger.findings[0].severity == diff::FindingSeverity::critical);
  CHECK(compare(aligned(16), aligned(0)).findings.size() == 1);
}

TEST_CASE("facts: inbounds", "[diff]") {
  const auto body = [](std::int64_t promised) {
    return [promised](Program& q) {
      ir::Type tensor;
      tensor.kind = TypeKind::tensor_view;
      tensor.element = q.k.element(TypeKind::f32);
      tensor.shape = {64};
      tensor.strides = {1};
      ir::Type view;
      view.kind = TypeKind::partition_view;
      view.element = q.k.type(tensor);
      view.shape = {8};
      view.dim_map = {0};
      const TypeId view_type = q.k.type(view);
      const ValueId base = q.k.make("int_to_ptr", {q.k.make("exti", {q.n}, q.i64, {{"signedness", 1}})},
                                    q.k.pointers(TypeKind::f32));
      const ValueId parts =
          q.k.make("make_partition_view", {q.k.make("make_tensor_view", {base}, view.element, {}, {1, 0, 0})},
                   view_type);
      Words words{{"memory_ordering_semantics", 0}};
      if (promised >= 0) {
        ir::Attribute list;
        list.kind = ir::Attribute::Kind::number_list;
        list.numbers = {promised};
        words["inbounds"] = q.k.attribute(list);
      }
      const OpId load = q.k.op("load_view_tko", {parts, q.m, q.start}, {q.f32x8, q.token}, words, {1, 1, 1});
      q.store(q.k.module.result(load, 0));
    };
  };
  CHECK(compare(body(-1), body(0)).equality == diff::Equality::equal);
  const auto more = compare(body(0), body(1));
  finds(more, "inbounds[0] is false in the reference, true in the port", "@k/load_view_tko#0",
        "@k/load_view_tko#0");
  CHECK(more.findings[0].severity == diff::FindingSeverity::critical);
  CHECK(compare(body(1), body(-1)).findings.at(0).severity == diff::FindingSeverity::warning);
}

TEST_CASE("hints of the entry", "[diff]") {
  const Body body = [](Program& q) { q.store(q.loaded(q.p)); };
  const auto hinted = [&](const std::string& target, std::int64_t occupancy) {
    Program made("k");
    body(made);
    made.k.module.functions[0].hints =
        ir::AttributeId{static_cast<std::uint32_t>(made.k.hints(target, "occupancy", occupancy))};
    return made.k.finish();
  };
  const auto changed = compare(hinted("default", 2), hinted("default", 4));
  finds(changed, "the hint occupancy is 2 in the reference, 4 in the port", "@k", "@k");
  CHECK(changed.findings[0].kind == diff::FindingClass::hint_value);
  CHECK(changed.findings[0].severity == diff::FindingSeverity::critical);
  const auto missing = compare(hinted("default", 2), program(body));
  finds(missing, "the hint occupancy is 2 in the reference, absent in the port", "@k", "@k");
  CHECK(missing.findings[0].severity == diff::FindingSeverity::warning);
  finds(compare(program(body), hinted("default", 2)),
        "the hint occupancy is absent in the reference, 2 in the port", "@k", "@k");
  CHECK(notes(compare(hinted("default", 2), hinted("sm_90", 2))) == "hint_key x1");
  CHECK(compare(hinted("default", 2), hinted("sm_100", 2)).findings.size() == 1);
}

TEST_CASE("parameters", "[diff]") {
  const auto with = [](int extra, TypeKind kind) {
    Program made("k");
    for (int i = 0; i < extra; ++i) made.k.module.blocks[0].arguments.count = 3;
    made.store(made.loaded(made.p));
    ir::Module module = made.k.finish();
    ir::Type function = module.types[static_cast<std::size_t>(module.functions[0].type)];
    for (int i = 0; i < extra; ++i) function.inputs.push_back(made.i32);
    module.types.emplace_back();
    module.types.back().kind = kind;
    function.inputs[1] = TypeId{static_cast<std::uint32_t>(module.types.size() - 1)};
    module.types.push_back(function);
    module.functions[0].type = TypeId{static_cast<std::uint32_t>(module.types.size() - 1)};
    return module;
  };
  const auto more = compare(with(0, TypeKind::i32), with(1, TypeKind::i32));
  finds(more, "the entry has 3 parameters in the reference, 4 in the port", "@k", "@k");
  CHECK(more.findings[0].kind == diff::FindingClass::specialization_loss);
  finds(compare(with(0, TypeKind::i32), with(0, TypeKind::i64)),
        "parameter 1 is i32 in the reference, i64 in the port", "@k", "@k");
}

TEST_CASE("attributes of parameters", "[diff]") {
  const auto with = [](std::optional<std::int64_t> number) {
    Program made("k");
    made.store(made.loaded(made.p));
    ir::Attribute list;
    list.kind = ir::Attribute::Kind::array;
    if (number) list.items = {ir::AttributeId{static_cast<std::uint32_t>(made.k.integer(*number))}};
    made.k.module.functions[0].argument_attributes =
        ir::AttributeId{static_cast<std::uint32_t>(made.k.attribute(list))};
    return made.k.finish();
  };
  const ir::Module plain = program([](Program& q) { q.store(q.loaded(q.p)); });
  CHECK(compare(plain, with(std::nullopt)).equality == diff::Equality::equal);
  finds(compare(with(1), with(2)), "attributes of the parameters are [1] in the reference, [2] in the port",
        "@k", "@k");
}

TEST_CASE("source places of both sides are in a finding", "[diff]") {
  const auto body = [](std::uint32_t line, const std::string& file, std::string_view wrap) {
    Program made("k");
    made.use(made.addi(made.n, made.m, wrap));
    ir::Module module = made.k.finish();
    const ir::DebugId place = debug_entries::place(module, file, "k", line, 9);
    for (ir::Operation& op : module.ops) {
      if (op.info->is("addi")) op.location = place;
    }
    return module;
  };
  const auto result = compare(body(12, "softmax.py", "none"), body(34, "kernel.rs", "no_wrap"));
  REQUIRE(result.findings.size() == 1);
  CHECK(result.findings[0].reference.file == "softmax.py");
  CHECK(result.findings[0].reference.line == 12);
  CHECK(result.findings[0].reference.column == 9);
  CHECK(result.findings[0].port.file == "kernel.rs");
  CHECK(result.findings[0].port.line == 34);
  CHECK(result.findings[0].port.text == "addi overflow=no_wrap : tile<i32>");
}

TEST_CASE("modules without exactly one kernel are refused", "[diff]") {
  const ir::Module good = program([](Program& q) { q.store(q.loaded(q.p)); });
  ir::Module none = good;
  none.file = "port.tileirbc";
  none.functions.clear();
  const auto empty = diff::compare(good, none, {});
  REQUIRE_FALSE(empty);
  CHECK(empty.error().front().code == "TP-D0001");
  CHECK(empty.error().front().message.starts_with("port: "));
  CHECK(empty.error().front().place.file == "port.tileirbc");
  ir::Module two = good;
  two.functions.push_back(two.functions.front());
  const auto several = diff::compare(two, good, {});
  REQUIRE_FALSE(several);
  CHECK(several.error().front().code == "TP-D0002");
  CHECK(several.error().front().message.starts_with("reference: "));
}

TEST_CASE("deep nesting is refused, long chains are not", "[diff]") {
  const auto nested = [](int depth) {
    return program([depth](Program& q) {
      const ValueId yes = q.k.constant(q.i1, 1);
      for (int i = 0; i < depth; ++i) q.k.open(q.k.op("if", {yes}, {}), 0);
      q.store(q.loaded(q.p));
      for (int i = 0; i < depth; ++i) {
        q.k.op("yield", {}, {});
        q.k.close();
      }
    });
  };
  CHECK(compare(nested(200), nested(200)).equality == diff::Equality::equal);
  const auto deep = nested(20000);
  const auto refused = diff::compare(deep, deep, {});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().front().code == "TP-D0003");

  const auto chain = [](std::int64_t first) {
    return program([first](Program& q) {
      ValueId x = q.addi(q.n, q.integer(first));
      for (int i = 0; i < 50000; ++i) x = q.addi(x, q.m);
      q.use(x);
    });
  };
  finds(compare(chain(1), chain(2)), "the constant is <i32: 1> in the reference, <i32: 2> in the port",
        "@k/constant#0", "@k/constant#0");
}
