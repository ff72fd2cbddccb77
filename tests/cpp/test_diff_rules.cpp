// SPDX-License-Identifier: Apache-2.0
// Every rule accepts what it is for, on either side, and refuses the nearest thing that isn't harmless.
#include <set>

#include "debug_entries.hpp"
#include "diff_programs.hpp"

using namespace diff_programs;

TEST_CASE("equal kernels are equal", "[diff]") {
  const Body body = [](Program& q) { q.store(q.addf(q.loaded(q.p), q.loaded(q.p))); };
  const auto result = compare(body, body);
  CHECK(result.equality == diff::Equality::equal);
  CHECK(notes(result).empty());
}

TEST_CASE("every rule has a name and a reason", "[diff]") {
  std::set<std::string_view> names;
  for (const auto& rule : diff::rules()) {
    CHECK(names.insert(rule.name).second);
    CHECK(rule.reason.size() > 10);
  }
  CHECK(names.size() >= 25);
}

TEST_CASE("rule entry_name, bytecode_version, producer", "[diff]") {
  const Body body = [](Program& q) { q.store(q.loaded(q.p)); };
  ir::Module other = program(body, "k__0123456789_entry");
  CHECK(notes(compare(program(body), other)) == "entry_name x1");
  other.version = {13, 4};
  other.strings.push_back("cutile 0.5.0");
  other.producer = ir::StringId{static_cast<std::uint32_t>(other.strings.size() - 1)};
  const auto result = compare(program(body), other);
  CHECK(notes(result) == "entry_name x1, bytecode_version x1, producer x1");
  CHECK(result.equality == diff::Equality::equal_up_to);
}

TEST_CASE("rule debug_locations", "[diff]") {
  const Body body = [](Program& q) { q.store(q.loaded(q.p)); };
  ir::Module other = program(body);
  const ir::DebugId place = debug_entries::place(other, "kernel.rs", "k", 7);
  for (ir::Operation& op : other.ops) op.location = place;
  // make_token, load and store; the return isn't counted.
  CHECK(notes(compare(program(body), other)) == "debug_locations x3");
}

TEST_CASE("rules dead_constant and dead_value", "[diff]") {
  const Body plain = [](Program& q) { q.store(q.loaded(q.p)); };
  accepts(plain, [&](Program& q) { q.integer(-1), q.integer(-1), plain(q); }, "dead_constant x2");
  accepts(plain, [&](Program& q) { q.addi(q.n, q.m), plain(q); }, "dead_value x1");
  // A load has an effect on the order of memory even if nothing reads what it loads.
  CHECK(differs(plain, [&](Program& q) { q.load(q.p), plain(q); }));
}

TEST_CASE("rules duplicate_constant and duplicate_value", "[diff]") {
  const Body once = [](Program& q) {
    const ValueId one = q.integer(1);
    q.use(q.addi(q.addi(q.n, one), one));
  };
  accepts(
      once, [](Program& q) { q.use(q.addi(q.addi(q.n, q.integer(1)), q.integer(1))); },
      "duplicate_constant x1");
  CHECK(differs(once, [](Program& q) { q.use(q.addi(q.addi(q.n, q.integer(1)), q.integer(2))); }));
  accepts(
      [](Program& q) {
        const ValueId sum = q.addi(q.n, q.m);
        q.use(q.addi(sum, sum));
      },
      [](Program& q) { q.use(q.addi(q.addi(q.n, q.m), q.addi(q.n, q.m))); }, "duplicate_value x1");
}

TEST_CASE("rule value_order", "[diff]") {
  const auto body = [](bool turned) {
    return [turned](Program& q) {
      const ValueId x = q.loaded(q.p);
      const ValueId first = turned ? q.subf(x, x) : q.addf(x, x);
      const ValueId second = turned ? q.addf(x, x) : q.subf(x, x);
      q.store(turned ? second : first);
      q.store(turned ? first : second);
    };
  };
  accepts(body(false), body(true), "value_order x1");
  // What tokens order stays in order.
  const auto ordered = [](bool turned) {
    return [turned](Program& q) {
      const ValueId x = q.loaded(q.p);
      const ValueId y = q.addf(x, x);
      const OpId first = q.store(turned ? y : x, {}, q.start);
      q.store(turned ? x : y, {}, q.k.module.result(first, 0));
    };
  };
  CHECK(differs(ordered(false), ordered(true)));
}

TEST_CASE("an op that may leave the region keeps its place among effects", "[diff]") {
  const auto body = [](bool store_first) {
    return [store_first](Program& q) {
      const OpId loop = q.k.op("loop", {}, {});
      q.k.open(loop, 0);
      const ValueId x = q.loaded(q.p);
      if (store_first) q.store(x);
      const ValueId stop =
          q.k.make("cmpi", {q.n, q.m}, q.i1, {{"comparison_predicate", 0}, {"signedness", 1}});
      const OpId branch = q.k.op("if", {stop}, {});
      q.k.open(branch, 0);
      q.k.op("break", {}, {});
      q.k.close();
      if (!store_first) q.store(x);
      q.k.op("continue", {}, {});
      q.k.close();
    };
  };
  CHECK(compare(body(true), body(true)).equality == diff::Equality::equal);
  CHECK(differs(body(true), body(false)));
}

TEST_CASE("rule value_placement", "[diff]") {
  const auto body = [](bool inside) {
    return [inside](Program& q) {
      ValueId sum = inside ? q.n : q.addi(q.n, q.m);
      const OpId loop = q.k.op("for", {q.n, q.m, q.integer(1)}, {});
      q.k.open(loop, 0, {q.i32});
      if (inside) sum = q.addi(q.n, q.m);
      q.use(sum);
      q.k.op("continue", {}, {});
      q.k.close();
    };
  };
  accepts(body(false), body(true), "value_placement x1");
  // A load moved out of a loop runs another number of times.
  const auto load = [](bool inside) {
    return [inside](Program& q) {
      ValueId x = inside ? q.n : q.loaded(q.p);
      const OpId loop = q.k.op("for", {q.n, q.m, q.integer(1)}, {});
      q.k.open(loop, 0, {q.i32});
      if (inside) x = q.loaded(q.p);
      q.store(x);
      q.k.op("continue", {}, {});
      q.k.close();
    };
  };
  CHECK(differs(load(false), load(true)));
}

TEST_CASE("rule commuted_operands", "[diff]") {
  accepts([](Program& q) { q.use(q.addi(q.n, q.m)); }, [](Program& q) { q.use(q.addi(q.m, q.n)); },
          "commuted_operands x1");
  const auto sub = [](bool turned) {
    return [turned](Program& q) {
      q.use(q.k.make("subi", turned ? Values{q.m, q.n} : Values{q.n, q.m}, q.i32));
    };
  };
  finds(compare(sub(false), sub(true)), "subi has the same operands in another order", "@k/subi#0",
        "@k/subi#0");
}

TEST_CASE("rule bounded_block_id", "[diff]") {
  const auto ids = [](std::optional<std::int64_t> lower, std::optional<std::int64_t> upper = {}) {
    return [=](Program& q) {
      const OpId id = q.k.op("get_tile_block_id", {}, {q.i32, q.i32, q.i32});
      ValueId x = q.k.module.result(id, 0);
      if (lower || upper) x = q.k.assume_bounded(x, lower, upper);
      q.use(x);
    };
  };
  accepts(ids({}), ids(0), "bounded_block_id x1");
  finds(compare(ids({}), ids(1)),
        "the port assumes bounded<1, ?> of blockId_x of get_tile_block_id, used by reshape; the reference "
        "doesn't",
        "@k/reshape#0", "@k/assume#0");
  CHECK(differs(ids({}), ids(0, 100)));
  // Not for other values.
  CHECK(differs([](Program& q) { q.use(q.n); }, [](Program& q) { q.use(q.k.assume_bounded(q.n, 0)); }));
}

TEST_CASE("rule bounded_induction", "[diff]") {
  const auto loop = [](std::int64_t end, std::optional<std::int64_t> lower,
                       std::optional<std::int64_t> upper) {
    return [=](Program& q) {
      const OpId made = q.k.op("for", {q.integer(0), q.integer(end), q.integer(1)}, {});
      ValueId i = q.k.open(made, 0, {q.i32})[0];
      if (lower || upper) i = q.k.assume_bounded(i, lower, upper);
      q.use(i);
      q.k.op("continue", {}, {});
      q.k.close();
    };
  };
  accepts(loop(16, {}, {}), loop(16, 0, 15), "bounded_induction x1");
  CHECK(differs(loop(16, {}, {}), loop(16, 0, 14)));
  CHECK(differs(loop(16, {}, {}), loop(16, 1, 15)));
}

TEST_CASE("rules duplicate_assume, dead_assume and fact_placement", "[diff]") {
  const Body once = [](Program& q) { q.use(q.k.assume_div_by(q.n, 16)); };
  accepts(
      once, [](Program& q) { q.use(q.k.assume_div_by(q.k.assume_div_by(q.n, 16), 4)); },
      "duplicate_assume x1");
  CHECK(differs(once, [](Program& q) { q.use(q.k.assume_div_by(q.k.assume_div_by(q.n, 16), 32)); }));
  // A dead promise may be dropped; a dead promise that the reference doesn't make is none the less made.
  accepts(once, [&](Program& q) { q.k.assume_div_by(q.n, 8), once(q); }, "dead_assume x1");
  finds(compare(once, [&](Program& q) { once(q), q.k.assume_div_by(q.n, 32); }),
        "the port assumes div_by<32> of parameter 1; the reference doesn't", "@k", "@k/assume#1");
  // The same promise at a use where the reference took the value without it.
  const Body partly = [](Program& q) {
    q.use(q.k.assume_div_by(q.n, 16));
    q.use(q.addi(q.n, q.m));
  };
  const Body fully = [](Program& q) {
    const ValueId n = q.k.assume_div_by(q.n, 16);
    q.use(n);
    q.use(q.addi(n, q.m));
  };
  const auto moved = compare(partly, fully);
  INFO(findings(moved));
  CHECK(notes(moved) == "fact_placement x1");
  finds(compare(fully, partly),
        "the reference assumes div_by<16> of parameter 1, used by addi; the port doesn't", "@k/assume#0",
        "@k/addi#0");
}

TEST_CASE("rule hint_key", "[diff]") {
  const auto hinted = [](const std::string& key, std::int64_t latency) {
    return [=](Program& q) {
      q.store(
          q.k.module.result(q.load(q.p, {{"optimization_hints", q.k.hints(key, "latency", latency)}}), 0));
    };
  };
  accepts(hinted("default", 4), hinted("sm_90", 4), "hint_key x1");
  finds(compare(hinted("default", 4), hinted("sm_90", 1)),
        "the hint latency is 4 in the reference, 1 in the port", "@k/load_ptr_tko#0", "@k/load_ptr_tko#0");
  // Another target's hints don't count for this one.
  finds(compare(hinted("default", 4), hinted("sm_100", 4)),
        "the hint latency is 4 in the reference, absent in the port", "@k/load_ptr_tko#0",
        "@k/load_ptr_tko#0");
  CHECK(compare(program(hinted("default", 4)), program(hinted("sm_100", 4)), "sm_100").equality ==
        diff::Equality::equal_up_to);
}

TEST_CASE("rule splat_constant_form", "[diff]") {
  const auto splat = [](std::uint64_t bits) {
    return [bits](Program& q) { q.store(q.k.constant(q.f32x8, bits)); };
  };
  const auto spread = [](std::uint64_t bits) {
    return [bits](Program& q) {
      const ValueId one = q.k.make("reshape", {q.k.constant(q.f32, bits)}, q.k.tile(TypeKind::f32, {1}));
      q.store(q.k.make("broadcast", {one}, q.f32x8));
    };
  };
  accepts(splat(0x3f800000), spread(0x3f800000), "splat_constant_form x2");
  CHECK(differs(splat(0x3f800000), spread(0x3f800001)));
  CHECK(differs(splat(0), spread(0x80000000)));
}

TEST_CASE("rules bitcast_constant and same_type_bitcast", "[diff]") {
  const auto direct = [](std::uint64_t bits) {
    return [bits](Program& q) { q.store(q.k.constant(q.f32x8, bits)); };
  };
  const auto cast = [](std::uint64_t bits) {
    return [bits](Program& q) { q.store(q.k.make("bitcast", {q.k.constant(q.i32x8, bits)}, q.f32x8)); };
  };
  accepts(direct(0x7fc00000), cast(0x7fc00000), "bitcast_constant x1");
  CHECK(differs(direct(0x7fc00000), cast(0xffc00000)));
  accepts([](Program& q) { q.use(q.addi(q.n, q.m)); },
          [](Program& q) { q.use(q.addi(q.k.make("bitcast", {q.n}, q.i32), q.m)); }, "same_type_bitcast x1");
  CHECK(differs([](Program& q) { q.store(q.loaded(q.p)); },
                [](Program& q) {
                  const ValueId x = q.k.make("bitcast", {q.loaded(q.p)}, q.i32x8);
                  q.store(q.k.make("itof", {x}, q.f32x8, {{"signedness", 1}, {"rounding_mode", 0}}));
                }));
}

TEST_CASE("rule reshape_chain", "[diff]") {
  const auto to = [](Program& q, ValueId x, std::vector<std::int64_t> shape) {
    return q.k.make("reshape", {x}, q.k.tile(TypeKind::f32, std::move(shape)));
  };
  accepts([](Program& q) { q.store(q.loaded(q.p)); },
          [&](Program& q) { q.store(to(q, to(q, q.loaded(q.p), {2, 4}), {8})); }, "reshape_chain x2");
  // A permutation in between moves elements.
  CHECK(differs([](Program& q) { q.store(q.loaded(q.p)); },
                [&](Program& q) {
                  ir::Attribute order;
                  order.kind = ir::Attribute::Kind::number_list;
                  order.numbers = {1, 0};
                  const ValueId turned =
                      q.k.make("permute", {to(q, q.loaded(q.p), {2, 4})}, q.k.tile(TypeKind::f32, {4, 2}),
                               {{"permutation", q.k.attribute(order)}});
                  q.store(to(q, turned, {8}));
                }));
}

TEST_CASE("rule rank0_atomic_reshape", "[diff]") {
  const auto atomic = [](bool rank1, std::string_view mode, bool masked = false) {
    return [=](Program& q) {
      const TypeId pointer = q.k.pointers(TypeKind::i32);
      const TypeId pointer1 = q.k.pointers(TypeKind::i32, {1});
      const TypeId i32x1 = q.k.tile(TypeKind::i32, {1});
      const TypeId i1x1 = q.k.tile(TypeKind::i1, {1});
      ValueId at = q.k.make("int_to_ptr", {q.k.make("exti", {q.n}, q.i64, {{"signedness", 1}})}, pointer);
      ValueId value = q.m;
      ValueId mask = q.k.constant(q.i1, 1);
      if (rank1) {
        at = q.k.make("reshape", {at}, pointer1);
        value = q.k.make("reshape", {value}, i32x1);
        mask = q.k.make("reshape", {mask}, i1x1);
      }
      Values operands{at, value};
      if (masked) operands.push_back(mask);
      operands.push_back(q.start);
      const OpId op = q.k.op("atomic_rmw_tko", operands, {rank1 ? i32x1 : q.i32, q.token},
                             {{"memory_ordering_semantics", 1},
                              {"memory_scope", 1},
                              {"mode", ir::number(ir::kAtomicMode, mode)}},
                             {1, 1, masked ? 1U : 0U, 1});
      ValueId old = q.k.module.result(op, 0);
      if (rank1) old = q.k.make("reshape", {old}, q.i32);
      q.use(old);
    };
  };
  const auto plain = compare(atomic(false, "add"), atomic(true, "add"));
  INFO(findings(plain));
  CHECK(plain.equality == diff::Equality::equal_up_to);
  CHECK(notes(plain).find("rank0_atomic_reshape x1") != std::string::npos);
  CHECK(compare(atomic(true, "add", true), atomic(false, "add", true)).equality ==
        diff::Equality::equal_up_to);
  CHECK(differs(atomic(false, "add"), atomic(true, "max")));
  CHECK(differs(atomic(false, "add", true), atomic(true, "add", false)));
}

TEST_CASE("rule pointer_cast_before_int", "[diff]") {
  const auto address = [](bool cast) {
    return [cast](Program& q) {
      const ValueId p = cast ? q.k.make("ptr_to_ptr", {q.p}, q.k.pointers(TypeKind::i64, {8})) : q.p;
      const TypeId i64x8 = q.k.tile(TypeKind::i64, {8});
      const ValueId back = q.k.make("int_to_ptr", {q.k.make("ptr_to_int", {p}, i64x8)}, q.pointers);
      q.store(q.loaded(back));
    };
  };
  accepts(address(false), address(true), "pointer_cast_before_int x1");
}

TEST_CASE("rule trunci_without_overflow", "[diff]") {
  const auto rewritten = [](std::int64_t up, std::int64_t down, std::string_view sign) {
    return [=](Program& q) {
      const TypeId i16 = q.k.tile(TypeKind::i16);
      const ValueId high = q.k.make("shli", {q.n, q.integer(up)}, q.i32, {{"overflow", 0}});
      const ValueId low = q.k.make("shri", {high, q.integer(down)}, q.i32,
                                   {{"signedness", ir::number(ir::kSignedness, sign)}});
      const ValueId cut = q.k.make("trunci", {low}, i16, {{"overflow", overflow("no_signed_wrap")}});
      q.use(q.k.make("exti", {cut}, q.i32, {{"signedness", 1}}));
    };
  };
  const Body wrapping = [](Program& q) {
    const ValueId cut = q.k.make("trunci", {q.n}, q.k.tile(TypeKind::i16), {{"overflow", overflow("none")}});
    q.use(q.k.make("exti", {cut}, q.i32, {{"signedness", 1}}));
  };
  const auto result = compare(wrapping, rewritten(16, 16, "signed"));
  INFO(findings(result));
  CHECK(notes(result) == "trunci_without_overflow x1");
  CHECK(differs(wrapping, rewritten(16, 15, "signed")));
  CHECK(differs(wrapping, rewritten(8, 8, "signed")));
  CHECK(differs(wrapping, rewritten(16, 16, "unsigned")));
}

TEST_CASE("rule pass_through_yields", "[diff]") {
  // A loop that carries x; its body stores under a condition. The port's `if` also hands x through.
  const auto loop = [](bool hands, bool truly) {
    return [=](Program& q) {
      const ValueId first = q.loaded(q.p);
      const OpId made = q.k.op("for", {q.n, q.m, q.integer(1), first}, {q.f32x8});
      const Values arguments = q.k.open(made, 0, {q.i32, q.f32x8});
      const ValueId stop =
          q.k.make("cmpi", {arguments[0], q.m}, q.i1, {{"comparison_predicate", 0}, {"signedness", 1}});
      const ValueId other = truly ? arguments[1] : q.addf(arguments[1], arguments[1]);
      const OpId branch = q.k.op("if", {stop}, hands ? Types{q.f32x8} : Types{});
      q.k.open(branch, 0);
      q.store(arguments[1]);
      q.k.op("yield", hands ? Values{arguments[1]} : Values{}, {});
      q.k.close();
      if (hands) {
        q.k.open(branch, 1);
        q.k.op("yield", {other}, {});
        q.k.close();
      }
      const ValueId next = hands ? q.k.module.result(branch, 0) : arguments[1];
      q.k.op("continue", {q.addf(next, next)}, {});
      q.k.close();
      q.store(q.k.module.result(made, 0));
    };
  };
  accepts(loop(false, true), loop(true, true), "pass_through_yields x1");
  CHECK(differs(loop(false, true), loop(true, false)));
}

TEST_CASE("pass-through results don't count in the numbers of the others, nor for a break", "[diff]") {
  // loop (x, i) { if i == m { break x, i }; r = if n == m { i + n } else { i }; store x; continue x, r }
  const auto loop = [](bool hands, bool breaks_right = true) {
    return [=](Program& q) {
      const OpId made = q.k.op("loop", {q.loaded(q.p), q.n}, {q.f32x8, q.i32});
      const Values carried = q.k.open(made, 0, {q.f32x8, q.i32});
      const auto compare_with_m = [&](ValueId x) {
        return q.k.make("cmpi", {x, q.m}, q.i1, {{"comparison_predicate", 0}, {"signedness", 1}});
      };
      const OpId leave = q.k.op("if", {compare_with_m(carried[1])}, hands ? Types{q.f32x8, q.i32} : Types{});
      q.k.open(leave, 0);
      q.k.op("break", {carried[0], breaks_right ? carried[1] : q.n}, {});
      q.k.close();
      if (hands) {
        q.k.open(leave, 1);
        q.k.op("yield", carried, {});
        q.k.close();
      }
      const Values now = hands ? Values{q.k.module.result(leave, 0), q.k.module.result(leave, 1)} : carried;
      const OpId grow = q.k.op("if", {compare_with_m(q.n)}, hands ? Types{q.f32x8, q.i32} : Types{q.i32});
      for (const bool first : {true, false}) {
        q.k.open(grow, first ? 0 : 1);
        const ValueId next = first ? q.addi(now[1], q.n) : now[1];
        q.k.op("yield", hands ? Values{now[0], next} : Values{next}, {});
        q.k.close();
      }
      q.store(hands ? q.k.module.result(grow, 0) : now[0]);
      q.k.op("continue",
             {hands ? q.k.module.result(grow, 0) : now[0], q.k.module.result(grow, hands ? 1 : 0)}, {});
      q.k.close();
      q.use(q.k.module.result(made, 1));
    };
  };
  accepts(loop(false), loop(true), "pass_through_yields x3");
  CHECK(differs(loop(false), loop(true, false)));
}

TEST_CASE("rule early_return_as_else", "[diff]") {
  const auto kernel = [](bool early, bool stores_before) {
    return [=](Program& q) {
      const ValueId stop =
          q.k.make("cmpi", {q.n, q.m}, q.i1, {{"comparison_predicate", 0}, {"signedness", 1}});
      if (stores_before) q.store(q.k.constant(q.f32x8, 0));
      const OpId branch = q.k.op("if", {stop}, {});
      q.k.open(branch, 0);
      q.k.op(early ? "return" : "yield", {}, {});
      q.k.close();
      if (!early) q.k.open(branch, 1);
      if (!stores_before) q.store(q.k.constant(q.f32x8, 0));
      q.store(q.loaded(q.p));
      if (!early) {
        q.k.op("yield", {}, {});
        q.k.close();
      }
    };
  };
  accepts(kernel(true, false), kernel(false, false), "early_return_as_else x1");
  CHECK(differs(kernel(true, false), kernel(false, true)));
  // Two in a row.
  const auto twice = [](bool early) {
    return [early](Program& q) {
      for (int i = 0; i < 2; ++i) {
        const ValueId stop =
            q.k.make("cmpi", {q.n, q.integer(i)}, q.i1, {{"comparison_predicate", 0}, {"signedness", 1}});
        const OpId branch = q.k.op("if", {stop}, {});
        q.k.open(branch, 0);
        q.k.op(early ? "return" : "yield", {}, {});
        q.k.close();
        if (!early) q.k.open(branch, 1);
      }
      q.store(q.loaded(q.p));
      for (int i = 0; i < 2 && !early; ++i) {
        q.k.op("yield", {}, {});
        q.k.close();
      }
    };
  };
  accepts(twice(true), twice(false), "early_return_as_else x2");
  // What the other branch yields is what the rest reads.
  const auto yielding = [](bool early, bool other_value) {
    return [=](Program& q) {
      const ValueId stop =
          q.k.make("cmpi", {q.n, q.m}, q.i1, {{"comparison_predicate", 0}, {"signedness", 1}});
      const OpId branch = early ? q.k.op("if", {stop}, {q.f32x8, q.f32x8}) : q.k.op("if", {stop}, {});
      q.k.open(branch, 0);
      q.k.op(early ? "return" : "yield", {}, {});
      q.k.close();
      q.k.open(branch, 1);
      const ValueId x = q.loaded(q.p);
      const ValueId zero = q.k.constant(q.f32x8, 0);
      if (early) {
        q.k.op("yield", {x, zero}, {});
        q.k.close();
        q.store(q.k.module.result(branch, other_value ? 1 : 0));
      } else {
        q.store(other_value ? zero : x);
        q.k.op("yield", {}, {});
        q.k.close();
      }
    };
  };
  accepts(yielding(true, false), yielding(false, false), "early_return_as_else x1");
  CHECK(differs(yielding(true, false), yielding(false, true)));
  CHECK(differs(yielding(true, true), yielding(false, false)));
}

TEST_CASE("rule scan_behind_unit_axes", "[diff]") {
  struct Scan {
    bool reshaped = false;
    std::uint64_t dim = 1;
    std::uint64_t reverse = 0;
    std::vector<std::int64_t> shape = {1, 2, 4};  ///< Of the tile.
    std::vector<std::int64_t> scanned = {2, 4};   ///< What it is reshaped to.
    bool read_as_scanned = false;                 ///< Something reads the result without its leading axis.
    void operator()(Program& q) const {
      const TypeId type = q.k.tile(TypeKind::f32, shape);
      const TypeId short_type = q.k.tile(TypeKind::f32, scanned);
      ValueId x = q.k.make("reshape", {q.loaded(q.p)}, type);
      x = q.k.make("negf", {x}, type);
      if (reshaped) x = q.k.make("reshape", {x}, short_type);
      ir::Attribute zero;
      zero.kind = ir::Attribute::Kind::floating;
      zero.type = q.k.element(TypeKind::f32);
      ir::Attribute list;
      list.kind = ir::Attribute::Kind::array;
      list.items = {ir::AttributeId{static_cast<std::uint32_t>(q.k.attribute(zero))}};
      const OpId scan =
          q.k.op("scan", {x}, {reshaped ? short_type : type},
                 {{"dim", reshaped ? 0 : dim}, {"reverse", reverse}, {"identities", q.k.attribute(list)}});
      const Values pair = q.k.open(scan, 0, {q.f32, q.f32});
      q.k.op("yield", {q.k.make("addf", pair, q.f32, {{"rounding_mode", 0}})}, {});
      q.k.close();
      ValueId total = q.k.module.result(scan, 0);
      if (read_as_scanned) total = q.k.make("absf", {total}, reshaped ? short_type : type);
      if (reshaped) total = q.k.make("reshape", {total}, type);
      q.store(q.k.make("reshape", {q.k.make("negf", {total}, type)}, q.f32x8));
    }
  };
  const Scan reference;
  Scan port{.reshaped = true};
  accepts(reference, port, "dead_value x1, reshape_chain x1, scan_behind_unit_axes x1");
  // Another axis, direction or tile is another scan.
  CHECK(differs(Scan{.dim = 2}, port));
  port.reverse = 1;
  CHECK(differs(reference, port));
  CHECK(differs(Scan{.shape = {1, 2, 4}}, Scan{.reshaped = true, .scanned = {4, 2}}));
  CHECK(differs(Scan{.shape = {2, 1, 4}}, Scan{.reshaped = true, .shape = {2, 1, 4}, .scanned = {1, 8}}));
  CHECK(differs(Scan{.read_as_scanned = true}, Scan{.reshaped = true, .read_as_scanned = true}));
}

TEST_CASE("rule empty_else", "[diff]") {
  const auto kernel = [](bool with_else, bool stores) {
    return [=](Program& q) {
      const ValueId yes =
          q.k.make("cmpi", {q.n, q.m}, q.i1, {{"comparison_predicate", 0}, {"signedness", 1}});
      const ValueId x = q.loaded(q.p);
      const OpId branch = q.k.op("if", {yes}, {});
      q.k.open(branch, 0);
      q.store(x);
      q.k.op("yield", {}, {});
      q.k.close();
      if (!with_else) return;
      q.k.open(branch, 1);
      if (stores) q.store(x);
      q.k.op("yield", {}, {});
      q.k.close();
    };
  };
  accepts(kernel(false, false), kernel(true, false), "empty_else x1");
  finds(compare(kernel(false, false), kernel(true, true)),
        "store_ptr_tko of the port has no counterpart in the reference", "@k",
        "@k/if#0/else/store_ptr_tko#0");
}

TEST_CASE("the order of tokens that are joined, repeats and nesting don't count", "[diff]") {
  const auto joined = [](bool turned, bool nested) {
    return [=](Program& q) {
      const ValueId a = q.k.module.result(q.load(q.p), 1);
      const ValueId b =
          q.k.module.result(q.load(q.k.make("offset", {q.p, q.k.constant(q.i32x8, 8)}, q.pointers)), 1);
      ValueId both = q.k.make("join_tokens", turned ? Values{b, a} : Values{a, b}, q.token);
      if (nested) both = q.k.make("join_tokens", {both, a}, q.token);
      q.store(q.k.constant(q.f32x8, 0), {}, both);
    };
  };
  CHECK(compare(joined(false, false), joined(true, false)).equality == diff::Equality::equal);
  CHECK(compare(joined(false, false), joined(false, true)).findings.empty());
  CHECK(differs(joined(false, false), [](Program& q) {
    const ValueId a = q.k.module.result(q.load(q.p), 1);
    q.load(q.k.make("offset", {q.p, q.k.constant(q.i32x8, 8)}, q.pointers));
    q.store(q.k.constant(q.f32x8, 0), {}, a);
  }));
}
