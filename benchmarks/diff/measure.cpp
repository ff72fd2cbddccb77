// SPDX-License-Identifier: Apache-2.0
// measure_diff ROUNDS FILE FILE...: for every pair of files a line "OPS OPS COMPARE SCRIPT FINDINGS EDITS":
// ops of both kernels, nanoseconds (of processor time) of one comparison and of one edit script (the best of
// ROUNDS), how much they found. measure_diff ROUNDS FORM OPS...: the same for made kernels of so many ops
// each; FORM says how the second differs from the first: equal, first (the first op), every (every tenth op),
// other (all ops). measure_diff ROUNDS write FORM OPS FILE FILE: writes two such kernels as text.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tileport/bytecode/read.hpp>
#include <tileport/diff/compare.hpp>
#include <tileport/diff/edit_script.hpp>
#include <tileport/ir/builder.hpp>
#include <tileport/text/print.hpp>

namespace {

namespace diff = tileport::diff;
namespace ir = tileport::ir;

double now() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

/// Of processor time, which other work on the machine disturbs less than the clock on the wall.
double nanoseconds(auto&& work, int rounds) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < rounds; ++i) {
    const double start = now();
    work();
    best = std::min(best, now() - start);
  }
  return best;
}

std::size_t count_ops(const ir::Module& module) {
  std::size_t count = 0;
  for (const ir::Function& function : module.functions)
    ir::walk(module, function.body, [&](ir::OpId) { ++count; });
  return count;
}

void measure(const ir::Module& a, const ir::Module& b, int rounds) {
  const auto compared = diff::compare(a, b, {});
  const auto script = diff::edit_script(a, b, {});
  if (!compared || !script) std::exit(1);
  const double compare = nanoseconds([&] { return diff::compare(a, b, {}).has_value(); }, rounds);
  const double edits = nanoseconds([&] { return diff::edit_script(a, b, {}).has_value(); }, rounds);
  std::printf("%zu %zu %.0f %.0f %zu %zu\n", count_ops(a), count_ops(b), compare, edits,
              compared->findings.size(), script->edits.size());
}

/// A kernel of straight-line arithmetic with a load and a store now and then, as unrolled code has them.
class Made {
 public:
  Made(std::size_t ops, std::string_view form, bool port) : builder_(module_) {
    const ir::TypeId pointer = builder_.tile(builder_.pointer(builder_.simple(ir::TypeKind::f32)));
    tile_ = builder_.tile(ir::TypeKind::f32);
    token_ = builder_.simple(ir::TypeKind::token);
    builder_.kernel("k", std::vector{pointer, pointer});
    const ir::BlockId body = module_.functions[0].body;
    in_ = module_.argument(body, 0);
    out_ = module_.argument(body, 1);
    ir::ValueId value = load(in_);
    ir::ValueId other = value;
    for (std::size_t i = 3; i + 1 < ops; ++i) {
      const bool changed =
          port && (form == "other" || (form == "every" && i % 10 == 0) || (form == "first" && i == 3));
      if (i % 16 == 0) {
        store(value);
      } else if (i % 16 == 8) {
        other = load(in_);
      } else {
        value = arithmetic(changed      ? "mulf"
                           : i % 3 == 0 ? "addf"
                                        : "subf",
                           value, i % 5 == 0 ? other : value);
      }
    }
    store(value);
    insert("return", {}, {}, {});
  }
  ir::Module module_;

 private:
  ir::OpId insert(std::string_view mnemonic, std::vector<ir::ValueId> operands,
                  std::vector<ir::TypeId> results, std::array<std::uint32_t, 6> groups) {
    ir::OperationParts parts;
    parts.info = ir::find_op(mnemonic);
    parts.operands = std::move(operands);
    parts.results = std::move(results);
    parts.group_sizes = groups;
    if (parts.info->attribute_index("memory_ordering_semantics")) parts.words[0] = 0;
    return builder_.insert(parts);
  }
  ir::ValueId load(ir::ValueId from) {
    return module_.result(insert("load_ptr_tko", {from}, {tile_, token_}, {1}), 0);
  }
  void store(ir::ValueId value) { insert("store_ptr_tko", {out_, value}, {token_}, {1, 1}); }
  ir::ValueId arithmetic(std::string_view mnemonic, ir::ValueId a, ir::ValueId b) {
    return module_.result(insert(mnemonic, {a, b}, {tile_}, {1, 1}), 0);
  }

  ir::Builder builder_;
  ir::TypeId tile_{};
  ir::TypeId token_{};
  ir::ValueId in_{};
  ir::ValueId out_{};
};

int fail(const char* what) {
  std::fprintf(stderr, "measure_diff: %s\n", what);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return fail("measure_diff ROUNDS (FILE FILE... | FORM OPS... | write FORM OPS FILE FILE)");
  const int rounds = std::atoi(argv[1]);
  const std::string_view form = argv[2];
  if (form == "write" && argc == 7) {
    const auto ops = static_cast<std::size_t>(std::atol(argv[4]));
    std::ofstream(argv[5]) << tileport::text::print(Made(ops, argv[3], false).module_);
    std::ofstream(argv[6]) << tileport::text::print(Made(ops, argv[3], true).module_);
    return 0;
  }
  if (form == "equal" || form == "first" || form == "every" || form == "other") {
    for (int i = 3; i < argc; ++i) {
      const auto ops = static_cast<std::size_t>(std::atol(argv[i]));
      measure(Made(ops, form, false).module_, Made(ops, form, true).module_, rounds);
    }
    return 0;
  }
  for (int i = 2; i + 1 < argc; i += 2) {
    const auto a = tileport::bytecode::read_file(argv[i]);
    const auto b = tileport::bytecode::read_file(argv[i + 1]);
    if (!a || !b) return fail("a file can't be read");
    measure(*a, *b, rounds);
  }
  return 0;
}
