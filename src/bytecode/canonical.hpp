// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tileport/ir/module.hpp>

namespace tileport::bytecode {

/// The module with its tables in canonical form (write.hpp says what that is), for a version. Whether the
/// version can express it is not checked.
ir::Module canonical(const ir::Module& module, ir::Version version, bool debug_info);

}  // namespace tileport::bytecode
