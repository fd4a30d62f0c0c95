// SPDX-License-Identifier: Apache-2.0
// runQuery(): read-only SQL over a scene's shown reports, in aligned time: what `--sql` and the query panel
// ask. Nothing but SELECT is obeyed, no file is reached, and a query ends when it is told to.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/analysis/table.h"
#include "core/base/progress.h"
#include "core/scene/scene.h"

namespace lockstep {

struct SqlLimits {
    uint64_t rows = 0;                         // of each answer; 0 = all of them
    uint64_t answer_bytes = uint64_t(1) << 30; // of each; beyond it the query fails, and says what to do
};

// One table for each statement, "sql", "sql_2" ..., with the rows in the order SQLite gave them. A column is
// of integers, of numbers with decimals, or of texts, by what it holds; one whose name ends in _ns is a time.
// A row with a slice.id of a shown report leads to that slice. An answer cut by limits.rows says so in its
// source. invalid: no valid query, with the place; or one that does more than read. canceled.
Result<std::vector<Table>> runQuery(std::string_view text, const ScenePtr& scene, const SqlLimits& limits,
                                    const Progress& progress);

} // namespace lockstep
