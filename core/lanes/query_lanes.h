// SPDX-License-Identifier: Apache-2.0
// QueryLanes: the lanes that show the rows of one SQL query result. They belong to a workspace, not to a
// report: no Workspace contains their slices, so that no table, analysis, finding or search counts them.
// Times are aligned, in nanoseconds. Built off the UI thread from a result (see core/sql/query_lane_rows.h),
// then passed to buildLaneTree() in LaneOptions. Immutable once built. Thread: any.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/string_pool.h"
#include "core/base/time.h"

namespace lockstep {

struct QuerySlice {
    TimeRange range; // aligned; begin == end for an instant
    StringId name;   // in QueryTrack::names; "" if the result has no names

    bool isInstant() const { return range.begin == range.end; }
    // The end of the time that the slice occupies in its row: an instant occupies one nanosecond.
    TraceTime rowEnd() const { return {std::max(range.end.ns, range.begin.ns + 1)}; }
};

// The slices of one lane.
struct QueryTrack {
    std::string label; // the track's name in the result, made safe for display
    std::string title; // title of the query
    std::shared_ptr<const StringPool> names;
    // Rows from top to bottom; the slices of a row are ascending and do not overlap.
    std::vector<std::vector<QuerySlice>> rows;

    // Returns the index of the first slice in the row that occupies time after `at`; the number of slices if
    // there is none. O(log slices).
    size_t firstAfter(size_t row, TraceTime at) const;
};

struct QueryLaneData {
    std::shared_ptr<const QueryTrack> track; // defines the rows of the lane; never null
};

// All lanes of one query.
struct QueryLanes {
    int64_t number = 0; // identifies the query in its workspace; part of the lane keys
    std::string title;
    std::string value; // short text for the header: "3 rows left out"; may be empty
    std::string note;  // full sentences for the tooltip; may be empty
    std::vector<std::shared_ptr<const QueryTrack>> tracks;
};
using QueryLaneList = std::vector<std::shared_ptr<const QueryLanes>>;

// Overlapping slices of one track get rows of their own, up to this number.
inline constexpr size_t kMaxQueryRows = 64;

// Distributes slices over rows so that the slices of a row do not overlap. Greedy: in order of their starts
// (the longest first if they are equal), each slice takes the topmost free row. This needs as few rows as
// slices overlap at once. Slices that find all kMaxQueryRows rows occupied are dropped and counted.
// O(n log n).
std::vector<std::vector<QuerySlice>> packQuerySlices(std::vector<QuerySlice> slices, uint64_t& dropped);

// Returns the key of the lane that contains all lanes of a query.
std::string queryLaneKey(int64_t number);
// Returns the number of the query to which a lane belongs, or 0 for a lane of the reports.
int64_t queryOfLaneKey(std::string_view laneKey);

} // namespace lockstep
