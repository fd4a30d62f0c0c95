// SPDX-License-Identifier: Apache-2.0
// FailCondition: "--fail-on NAME OP NUMBER", a check of one number of an export that a script wants to fail
// on.
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
    std::string text; // as written
    std::string name; // one of failConditionNames()
    Comparison comparison = Comparison::greater;
    int64_t limit = 0; // ns for times, a plain count otherwise
};

// "NAME OP NUMBER" with or without spaces; OP is one of < <= == != >= >; NUMBER may carry a time unit where
// NAME is a time. invalid otherwise.
Result<FailCondition> parseFailCondition(std::string_view text);

// "kernel_total", "kernel_count" ...: the numbers that can be checked.
std::vector<std::string_view> failConditionNames();

// The number a condition is about, over the request's workspace and scope. canceled.
Result<int64_t> measure(const FailCondition& condition, const AnalysisRequest& request,
                        const Progress& progress);

bool holds(const FailCondition& condition, int64_t value);

} // namespace lockstep
