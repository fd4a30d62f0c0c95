// SPDX-License-Identifier: Apache-2.0
// Reads JSON text as plain data, for allocator snapshots and memory timelines that are written as JSON.
#pragma once

#include <cstddef>
#include <string_view>

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/readers/memory_snapshot/value_tree.h"

namespace lockstep {

struct JsonTree {
    ValueTree values;
    ValueId root;
    // True if the text ends before its outermost bracket closes. Open containers then contain the values that
    // were complete before the cut.
    bool isCut = false;
    size_t end_bytes = 0; // position after the last stored value
};

// Parses JSON. Errors: corrupt with the byte position or the parser's reason, unsupported for texts of more
// than 4 GB, canceled. The tree owns its strings.
Result<JsonTree> readJsonTree(std::string_view text, const Progress& progress);

} // namespace lockstep
