// SPDX-License-Identifier: Apache-2.0
// Comparison: joins the same table from two runs into one table with the value before, the value after and
// the change. compareTables() takes two results of one analysis; differencesOf() reports whether the two runs
// are comparable. Pure. Thread: any.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/table.h"
#include "core/scene/scene.h"

namespace lockstep {

// Returns whether a column identifies its row. Key columns are names, and numbers such as rank, step, device
// and stream. Findings, paths and lists are not key columns because they differ between any two runs.
bool isKeyColumn(const TableColumn& column);

// Pairs of rows with the same key in two tables.
struct RowPair {
    static constexpr size_t kNone = ~size_t(0);
    size_t before = kNone, after = kNone; // at least one of the two rows is valid

    bool isWhole() const { return before != kNone && after != kNone; }
};
struct JoinedRows {
    std::vector<RowPair> pairs; // in the row order of the later table; rows found only in the earlier table
                                // follow in that table's order
    size_t repeated = 0;        // rows with a duplicate key in one table; they are paired in order
};
JoinedRows joinRows(const Table& before, const Table& after);

// Returns the change of a column in percent of its earlier value. Returns nullopt if the earlier value is 0
// and the change is not, or if a value is missing.
std::optional<double> changeInPercent(double before, double after);

// Returns the key columns, then "in" (both, before, after), and for each numeric column the value before and
// after, the change, and the change in percent. For percentages, the change is given only in percentage
// points. If rows contain a mean, its standard deviation and a count, the 95% interval for the change of the
// mean (Welch) follows. Clicking a row leads to the later run.
Table compareTables(const Table& before, const Table& after);

// Returns the recorded differences between two runs (GPUs, drivers, libraries, profilers and their settings,
// ranks, steps), one sentence each. Skips properties that neither run records. Cost: O(rows that may mark
// steps).
std::vector<std::string> differencesOf(const Workspace& before, const Workspace& after);

} // namespace lockstep
