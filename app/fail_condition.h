// SPDX-License-Identifier: Apache-2.0
// FailCondition: "--fail-on NAME OP NUMBER", a check of a number of an export, or of its change against a
// baseline, that a script wants to fail on. Parsed by the command line, checked once the tables are written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/analysis.h"
#include "core/base/result.h"

namespace lockstep {

enum class Comparison : uint8_t { less, lessOrEqual, equal, notEqual, greaterOrEqual, greater };

struct FailCondition {
    std::string text;   // as written
    std::string name;   // one of failConditionNames(), or TABLE or TABLE.COLUMN
    std::string table;  // of the latter: as --export takes it, with its arguments; else empty
    std::string column; // of its rows; empty = how many there are
    Comparison comparison = Comparison::greater;
    int64_t limit = 0;      // ns for times, a plain count otherwise; of a column's see limitText
    std::string limitText;  // of TABLE.COLUMN: what it means depends on the column
    bool isChange = false;  // against the baseline, by changeLimit
    double changeLimit = 0; // percent
};

// "NAME OP NUMBER" with or without spaces; OP is one of < <= == != >= >; NUMBER may carry a time unit where
// NAME is a time, and is "+5%" or "-5%" for a change. NAME is one of failConditionNames(), or an analysis
// with its arguments (how many rows it has), or that, a dot and a column: "gpu_gaps:threshold=1ms>0",
// "step_statistics.mean>+5%". invalid otherwise.
Result<FailCondition> parseFailCondition(std::string_view text);

// "kernel_total", "kernel_count" ...: the numbers that can be checked besides tables.
std::vector<std::string_view> failConditionNames();

struct CheckedCondition {
    bool holds = false;
    std::string text;    // "kernel_total is 5 ns", with what it was before and of which row
    bool isVoid = false; // nothing could be compared: text says why
};

// Over the request's workspace and scope; before: the same of the baseline, where there is one. A column of
// counts, sizes and sums of times is summed over all rows; of a mean, median, minimum, maximum, spread or
// share the condition holds when it does for any row, of changes any row that both have. A change from 0 is
// more than any percentage. invalid: no such column, or no number of it; canceled.
Result<CheckedCondition> checkCondition(const FailCondition& condition, const AnalysisRequest& request,
                                        const AnalysisRequest* before, const Progress& progress);

} // namespace lockstep
