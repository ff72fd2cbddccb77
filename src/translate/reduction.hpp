// SPDX-License-Identifier: Apache-2.0
// reduce and scan.
#pragma once

#include "translate/entry.hpp"
#include "translate/op_reader.hpp"

namespace tileport::translate {

void reduce(Entry& entry, OpReader& op);
void scan(Entry& entry, OpReader& op);

}  // namespace tileport::translate
