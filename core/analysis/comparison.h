// SPDX-License-Identifier: Apache-2.0
// Comparison: the same table of two runs as one: before, after, change. Made of two results of one analysis
// by compareTables(); whether the two may be compared at all is said by differencesOf(). Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/table.h"
#include "core/scene/scene.h"

namespace lockstep {

// Whether a column says what a row is about: texts that name something, and numbers such as rank, step,
// device and stream. Findings, paths and lists are none: they differ between any two runs.
bool isKeyColumn(const TableColumn& column);

// Which rows of two tables are about the same.
struct RowPair {
    static constexpr size_t kNone = ~size_t(0);
    size_t before = kNone, after = kNone; // at least one is a row

    bool isWhole() const { return before != kNone && after != kNone; }
};
struct JoinedRows {
    std::vector<RowPair> pairs; // in the order of the rows after; then what is only before, in its order
    size_t repeated = 0;        // rows whose key an earlier row of its table has: joined by their order
};
JoinedRows joinRows(const Table& before, const Table& after);

// The change of a column in percent of what it was before; absent where that is 0 and the change is not, or a
// side has no value.
std::optional<double> changeInPercent(double before, double after);

// Key columns, then "in" (both, before, after), and of each numeric column the value before and after, the
// change, and the change in percent of before (of percentages only the points). Where rows state a mean, its
// standard deviation and a count, the 95 % interval of the change of the mean (Welch). Clicks lead to rows
// after.
Table compareTables(const Table& before, const Table& after);

// Where what the files say of the two runs differs: GPUs, drivers, libraries, what recorded them and how,
// ranks, steps. One sentence each; what neither says is not compared. O(rows that may mark steps).
std::vector<std::string> differencesOf(const Workspace& before, const Workspace& after);

} // namespace lockstep
