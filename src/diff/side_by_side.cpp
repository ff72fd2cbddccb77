// SPDX-License-Identifier: Apache-2.0
// Two texts with partners on one row. Pairs of ops whose lines keep the order on both sides are anchors;
// between two anchors stand first what only the reference has there, then what only the port has. Lines that
// begin no op, closing braces above all, stand on one row where both texts have them at the same place.
#include <algorithm>
#include <array>
#include <map>
#include <tileport/text/print.hpp>

#include "diff/entries.hpp"
#include "diff/matcher.hpp"
#include "diff/order.hpp"

namespace tileport::diff {
namespace {

using ir::OpId;
using Row = SideBySideRow;

/// One side's text: of one function, its lines counted from 0.
struct Column {
  Column(const ir::Module& module, const ir::Function& kernel) : module(module) {
    text::Listing listing = text::list(module);
    const auto number = static_cast<std::size_t>(&kernel - module.functions.data());
    const auto [first, last] = listing.functions[number];
    for (std::uint32_t line = first; line < last; ++line) lines.push_back(std::move(listing.lines[line]));
    line_of.assign(module.ops.size(), text::kNoLine);
    op_of.assign(lines.size(), OpId{ir::kNone});
    ir::walk(module, kernel.body, [&, first = first](OpId op) {
      const std::uint32_t line = listing.line_of_op[ir::index(op)];
      if (line == text::kNoLine) return;
      line_of[ir::index(op)] = line - first;
      op_of[line - first] = op;
      ops.push_back(op);
    });
  }
  std::string path(std::uint32_t line) const {
    return ir::index(op_of[line]) == ir::kNone ? std::string() : module.access_path(op_of[line]);
  }

  const ir::Module& module;
  std::vector<std::string> lines;
  std::vector<std::uint32_t> line_of;  ///< By OpId.
  std::vector<OpId> op_of;             ///< By line; kNone where no op begins.
  std::vector<OpId> ops;               ///< In the order of the text.
};

class Table {
 public:
  Table(Column& a, Column& b, const EditScript& script) : a_(a), b_(b) {
    for (const Edit& edit : script.edits) {
      if (edit.kind == EditKind::insert) {
        inserted_[edit.port.op] = &edit;
      } else if (edit.kind != EditKind::move || !touched_.contains(edit.op)) {
        touched_[edit.op] = &edit;
      }
    }
  }

  std::vector<Row> rows(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& anchors) {
    anchor(0, 0);  // The entries' heads.
    for (const auto& [in_a, in_b] : anchors) {
      gap(in_a, in_b);
      anchor(in_a, in_b);
    }
    gap(static_cast<std::uint32_t>(a_.lines.size()), static_cast<std::uint32_t>(b_.lines.size()));
    return std::move(rows_);
  }

 private:
  void anchor(std::uint32_t in_a, std::uint32_t in_b) {
    Row row;
    const auto edit = touched_.find(a_.op_of[in_a]);
    if (edit != touched_.end()) {
      row.kind = Row::Kind::changed;
      row.layer = edit->second->layer;
    } else if (in_a == 0 && a_.lines[0] != b_.lines[0]) {
      row.kind = Row::Kind::changed;
    }
    add(row, in_a, in_b);
  }

  void gap(std::uint32_t to_a, std::uint32_t to_b) {
    while (next_a_ < to_a || next_b_ < to_b) {
      const bool plain_a = next_a_ < to_a && ir::index(a_.op_of[next_a_]) == ir::kNone;
      const bool plain_b = next_b_ < to_b && ir::index(b_.op_of[next_b_]) == ir::kNone;
      if (plain_a && plain_b && a_.lines[next_a_] == b_.lines[next_b_]) {
        add({}, next_a_, next_b_);
      } else if (next_a_ < to_a && !(plain_a && next_b_ < to_b && !plain_b)) {
        only_reference(next_a_);
      } else {
        only_port(next_b_);
      }
    }
  }

  void only_reference(std::uint32_t line) {
    Row row;
    row.kind = Row::Kind::removed;
    if (const auto edit = touched_.find(a_.op_of[line]); edit != touched_.end()) {
      row.layer = edit->second->layer;
      if (edit->second->kind != EditKind::remove) row.kind = Row::Kind::moved;
    }
    add(row, line, std::nullopt);
  }
  void only_port(std::uint32_t line) {
    Row row;
    const auto edit = inserted_.find(b_.op_of[line]);
    row.kind = edit == inserted_.end() && ir::index(b_.op_of[line]) != ir::kNone ? Row::Kind::moved
                                                                                 : Row::Kind::inserted;
    if (edit != inserted_.end()) row.layer = edit->second->layer;
    add(row, std::nullopt, line);
  }

  void add(Row row, std::optional<std::uint32_t> in_a, std::optional<std::uint32_t> in_b) {
    row.reference = in_a;
    row.port = in_b;
    if (in_a) {
      row.reference_path = a_.path(*in_a);
      next_a_ = *in_a + 1;
    }
    if (in_b) {
      row.port_path = b_.path(*in_b);
      next_b_ = *in_b + 1;
    }
    rows_.push_back(std::move(row));
  }

  Column& a_;
  Column& b_;
  std::map<OpId, const Edit*> touched_;   ///< By op of the reference.
  std::map<OpId, const Edit*> inserted_;  ///< By op of the port.
  std::uint32_t next_a_ = 0;
  std::uint32_t next_b_ = 0;
  std::vector<Row> rows_;
};

}  // namespace

std::string_view name(SideBySideRow::Kind kind) {
  constexpr std::array<std::string_view, 5> kNames = {"same", "changed", "removed", "inserted", "moved"};
  return kNames[static_cast<std::size_t>(kind)];
}

Result<SideBySide> side_by_side(const ir::Module& reference, const ir::Module& port,
                                const CompareOptions& options) {
  const auto entries = find_entries(reference, port, options);
  if (!entries) return tl::unexpected<Diagnostics>(entries.error());
  Interner interner;
  Graph a(reference, *entries->reference, interner);
  Graph b(port, *entries->port, interner);
  Matcher matcher(a, b, interner);
  matcher.run();
  const EditScript script = write_script(a, b, matcher);
  Column left(reference, *entries->reference);
  Column right(port, *entries->port);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  std::vector<std::size_t> places;
  for (const OpId op : right.ops) {
    const OpId partner = matcher.in_reference[ir::index(op)];
    if (ir::index(partner) == ir::kNone || left.line_of[ir::index(partner)] == text::kNoLine) continue;
    pairs.emplace_back(left.line_of[ir::index(partner)], right.line_of[ir::index(op)]);
    places.push_back(pairs.back().first);
  }
  const std::vector<bool> kept = keep_order(places);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> anchors;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (kept[i]) anchors.push_back(pairs[i]);
  }
  SideBySide made;
  made.rows = Table(left, right, script).rows(anchors);
  made.reference = std::move(left.lines);
  made.port = std::move(right.lines);
  return made;
}

}  // namespace tileport::diff
