// SPDX-License-Identifier: Apache-2.0
// Rust identifiers: legal, unique within one entry, never the name of something that the generated code
// calls.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tileport::translate {

/// Whether `text` can be a Rust item's name as it stands: ASCII, no keyword.
bool is_identifier(std::string_view text);

class Names {
 public:
  /// A unique identifier that is `wish`, made legal, with a number behind it if it is taken.
  std::string claim(std::string_view wish);

  /// Unique identifiers whose byte order is the order of `wishes`. cuTile Rust passes the variables that a
  /// loop or an if changes in the order of their names, so the names decide the order of iteration values and
  /// results.
  std::vector<std::string> claim_ordered(const std::vector<std::string>& wishes);

 private:
  bool is_free(const std::string& name) const;

  std::set<std::string, std::less<>> taken_;
  std::map<std::string, unsigned, std::less<>> next_number_;
};

}  // namespace tileport::translate
