// SPDX-License-Identifier: Apache-2.0
// WhatChanged: compares two steps or runs by kernel, phase or rank (value before, value after, and the change
// with its confidence interval), and attributes the change in step duration to parts of the critical path.
// Computed off the UI thread from the tables and intervals that --baseline compares. Value types. Thread:
// any.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/student_t.h"
#include "core/base/progress.h"
#include "core/scene/scene.h"

namespace lockstep {

enum class ChangesBy : uint8_t { kernel, phase, rank };

// One side of the comparison: the visible reports in the side's scene, restricted to one step if `step` is
// set.
struct ChangedSide {
    ScenePtr scene;
    std::optional<int64_t> step;
    std::optional<TimeRange> range; // time range of the step, on the aligned axis
};

enum class ChangeConfidence : uint8_t {
    high,   // the 95% interval excludes 0; 30 or more instances on both sides
    medium, // the 95% interval excludes 0; fewer instances
    noise,  // the interval includes 0
    none,   // no interval, because a side has only one sample
    isNew,  // the row exists only on the later side
    isGone  // the row exists only on the earlier side
};

struct ChangedRow {
    std::string name;
    std::optional<int64_t> before_ns, after_ns;
    int64_t countBefore = 0, countAfter = 0; // number of instances or measured steps
    std::optional<MeanInterval> interval;    // 95% interval of the change, in ns; see changedRows()
    ChangeConfidence confidence = ChangeConfidence::none;
    SliceRef longestBefore, longestAfter; // invalid: no slice represents the row

    int64_t change_ns() const { return after_ns.value_or(0) - before_ns.value_or(0); }
    std::optional<double> changePercent() const; // change relative to the earlier value; nullopt if a side is
                                                 // missing
};

struct ChangedRows {
    std::vector<ChangedRow> rows; // largest change first
    std::string rule;             // description of the quantity
};

// kernel: total time per kernel by base name, within the time range of the step. The interval applies to the
// change of the total; instances on each side are assumed to be independent. phase: mean time per step in
// each phase. rank: mean GPU busy time per step on each rank. Both are means over the steps of one side.
// Errors: those of the underlying analyses; `canceled`.
Result<ChangedRows> changedRows(ChangesBy by, const ChangedSide& before, const ChangedSide& after,
                                const Progress& progress);

// The time on the critical path in one or several steps, before and after.
struct LengthChange {
    struct Part {
        std::string label; // "gemm", "others (12)"
        std::string kind;  // kind of path segment: "compute", "gap" ...
        int64_t change_ns = 0;
    };
    int64_t before_ns = 0, after_ns = 0;
    size_t steps = 0;        // number of common steps, whose durations are summed
    std::vector<Part> parts; // largest change first, the combined remaining parts last; all changes add up to
                             // after minus before
};

// Returns at most `most` parts, and one more for all others combined. Compares steps with equal numbers, or
// the two chosen ones; if no number occurs on both sides, all steps of each side are summed. There are no
// parts if a side has no path.
Result<LengthChange> lengthChange(const ChangedSide& before, const ChangedSide& after, size_t most,
                                  const Progress& progress);

} // namespace lockstep
