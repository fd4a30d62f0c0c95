// SPDX-License-Identifier: Apache-2.0
// runQuery() runs read-only SQL over a scene's visible reports, with aligned times, for `--sql` and the SQL
// panel. Only SELECT, WITH and VALUES are allowed, no file can be accessed, and a query can be canceled.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/analysis/table.h"
#include "core/base/progress.h"
#include "core/scene/scene.h"

namespace lockstep {

struct SqlLimits {
    uint64_t rows = 0; // maximum number of rows per result; 0 = no limit
    // maximum memory per result; a query that exceeds this limit fails with a message that states what to do
    uint64_t result_bytes = uint64_t(1) << 30;
};

// Returns one table per statement, "sql", "sql_2" ..., with the rows in the order in which SQLite returns
// them. A column contains integers, decimals or strings, depending on its values. If its name ends in _ns, it
// is a time column. If a row contains the slice.id of a slice in a visible report, the row links to that
// slice. If limits.rows truncates a result, the table's source states this. Errors: invalid, with the
// position, if the query is invalid or does more than read; canceled.
Result<std::vector<Table>> runQuery(std::string_view text, const ScenePtr& scene, const SqlLimits& limits,
                                    const Progress& progress);

} // namespace lockstep
