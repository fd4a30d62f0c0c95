// SPDX-License-Identifier: Apache-2.0
// FailCondition is one "--fail-on NAME OP NUMBER": a check of a number in an export, or of the change of that
// number from the baseline. The condition is parsed with the command line and evaluated after the tables are
// written.
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
    std::string text;   // as written on the command line
    std::string name;   // one of failConditionNames(), or TABLE or TABLE.COLUMN
    std::string table;  // TABLE with its arguments, in the syntax of --export; otherwise empty
    std::string column; // column of the table; empty = the number of rows
    Comparison comparison = Comparison::greater;
    int64_t limit = 0;      // limit: ns for times, otherwise a count; for columns, see limitText
    std::string limitText;  // limit for TABLE.COLUMN; the column determines how it is parsed
    bool isChange = false;  // compares the change from the baseline with changeLimit
    double changeLimit = 0; // percent
};

// Parses "NAME OP NUMBER", with or without spaces; OP is one of < <= == != >= >. NUMBER may have a time unit
// if NAME is a time. To check a change, write "+5%" or "-5%". NAME is one of failConditionNames(), an
// analysis with its arguments (checks the number of rows), or such an analysis followed by a dot and a
// column: "gpu_gaps:threshold=1ms>0", "step_statistics.mean>+5%". Error: invalid.
Result<FailCondition> parseFailCondition(std::string_view text);

// Returns the names that can be checked besides tables: "kernel_total", "kernel_count" ...
std::vector<std::string_view> failConditionNames();

struct CheckedCondition {
    bool holds = false;
    // Such as "kernel_total is 5 ns"; includes the baseline's value and the row, if there are any.
    std::string text;
    bool isVoid = false; // true if nothing could be compared; `text` contains the reason
};

// Evaluates the condition for the workspace and scope of the request. before: the same request for the
// baseline, if there is one. Columns with counts, sizes and total times are summed over all rows. For means,
// medians, minima, maxima, spreads and shares, the condition holds if it holds for any row. For changes, only
// rows that exist in both runs are compared. A change from 0 exceeds every percentage. Errors: invalid (the
// column does not exist, or the limit does not match the type of the column), canceled.
Result<CheckedCondition> checkCondition(const FailCondition& condition, const AnalysisRequest& request,
                                        const AnalysisRequest* before, const Progress& progress);

} // namespace lockstep
