// SPDX-License-Identifier: Apache-2.0
// A JSON text as plain data, for the forms of allocator snapshots and memory timelines that are written as
// JSON.
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
    // Set when the text ends before its outermost bracket closes: containers that were still open hold the
    // values that were whole before the cut.
    bool isCut = false;
    size_t end_bytes = 0; // behind the last value that was kept
};

// corrupt names the byte or the parser's reason; unsupported for texts above 4 GB; canceled. The tree holds
// its texts.
Result<JsonTree> readJsonTree(std::string_view text, const Progress& progress);

} // namespace lockstep
