// SPDX-License-Identifier: Apache-2.0
// Turns the rows of a SQL query result into lanes. The columns are found by their names: `ts` (start on the
// aligned axis in ns, required), `dur` (ns), `name` and `track`. `ts_ns` and `dur_ns` are accepted as well.
// Pure.
#pragma once

#include "core/analysis/table.h"
#include "core/lanes/query_lanes.h"

namespace lockstep {

inline constexpr size_t kMaxQueryTracks = 64;          // lanes per query
inline constexpr uint64_t kMaxQueryLaneRows = 100'000; // maximum number of rows requested from a query

// Returns true if the result has a column `ts` with integers, or without rows.
bool canBeLanes(const Table& result);

// Returns the lanes: one per value of `track`, in the order of their first rows, or a single lane without
// that column. A row without a duration, or with duration 0, becomes an instant. The following rows are left
// out, counted in `value` and explained in `note`: rows whose `ts` is missing or not an integer, whose `dur`
// is negative or not an integer, whose end exceeds kAllTime, that belong to a further track, or that find all
// rows of their track occupied. `extent` is the recorded time, aligned; rows outside it are kept and counted
// in the note. If canBeLanes() is false, the result has no lanes, and the note states why.
QueryLanes queryLanesOf(const Table& result, int64_t number, std::string title, TimeRange extent);

// Returns lanes without slices whose header shows `value`, with `note` as the tooltip: for a query that is
// running or that failed.
QueryLanes emptyQueryLanes(int64_t number, std::string title, std::string value, std::string note);

} // namespace lockstep
