// A JSON text as plain data, for the forms of allocator snapshots and memory timelines that are written as
// JSON.
#pragma once

#include <string_view>

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/readers/memory_snapshot/value_tree.h"

namespace lockstep {

struct JsonTree {
    ValueTree values;
    ValueId root;
};

// corrupt names the byte or the parser's reason; unsupported for texts above 4 GB; canceled. The tree holds
// its texts.
Result<JsonTree> readJsonTree(std::string_view text, const Progress& progress);

} // namespace lockstep
