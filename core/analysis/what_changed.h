// SPDX-License-Identifier: Apache-2.0
// WhatChanged: two steps or runs as a person compares them: by kernel, phase or rank before, after and change
// with what it is good to, and the step's length by what its critical path spent. Made off the UI thread of
// the tables and intervals that --baseline compares; values, any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/student_t.h"
#include "core/base/progress.h"
#include "core/scene/scene.h"

namespace lockstep {

enum class ChangesBy : uint8_t { kernel, phase, rank };

// One side: its scene's shown reports, of one step where there is one.
struct ChangedSide {
    ScenePtr scene;
    std::optional<int64_t> step;
    std::optional<TimeRange> range; // aligned: where the step lies
};

enum class ChangeTrust : uint8_t {
    high,   // the 95 % interval does not hold 0, of 30 or more on both sides
    medium, // the same of fewer
    noise,  // the interval holds 0
    none,   // there is no interval: a side has one sample
    isNew,  // only after
    isGone  // only before
};

struct ChangedRow {
    std::string name;
    std::optional<int64_t> before_ns, after_ns;
    int64_t countBefore = 0, countAfter = 0; // instances, or steps that were measured
    std::optional<MeanInterval> interval;    // of the change, ns; see changedRows()
    ChangeTrust trust = ChangeTrust::none;
    SliceRef longestBefore, longestAfter; // invalid: none stands for the row

    int64_t change_ns() const { return after_ns.value_or(0) - before_ns.value_or(0); }
    std::optional<double> changePercent() const; // of before; absent where a side is
};

struct ChangedRows {
    std::vector<ChangedRow> rows; // the greatest change first
    std::string rule;             // what is counted, in words
};

// kernel: total time of each kernel by its base name, in the range of the step; the interval is of the change
// of the total, for as many instances as there are on each side, which vary independently. phase and rank:
// the mean over the steps of a side of what one step took of a phase, and of each rank's GPU busy time.
// Analyses' errors; canceled.
Result<ChangedRows> changedRows(ChangesBy by, const ChangedSide& before, const ChangedSide& after,
                                const Progress& progress);

// What the critical path of one or several steps spent, before and after.
struct LengthChange {
    struct Part {
        std::string label; // "gemm", "others (12)"
        std::string kind;  // of the path: "compute", "gap" ...
        int64_t change_ns = 0;
    };
    int64_t before_ns = 0, after_ns = 0;
    size_t steps = 0;        // that both have; their lengths are summed up
    std::vector<Part> parts; // the greatest change first, others last; they add up to after less before
};

// At most `most` parts and one for all others. Steps of equal numbers, or the two that were chosen; where no
// number is in both, all of each side. No parts where a side knows no path.
Result<LengthChange> lengthChange(const ChangedSide& before, const ChangedSide& after, size_t most,
                                  const Progress& progress);

} // namespace lockstep
