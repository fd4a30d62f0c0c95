// SPDX-License-Identifier: Apache-2.0
// What a report file's name says by the pattern that a forecast gives it. Pure but for compiled patterns,
// which each thread keeps: a run has few patterns and many files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/pattern.h"
#include "core/base/result.h"

namespace lockstep {

// Behind the last '/'.
std::string_view fileNameOfPath(std::string_view path);

struct ReportNameParts {
    std::optional<int64_t> rank, step, range;
    std::string pid; // "" = not named

    // Empty where the name does not fit the pattern, or that is none.
    static std::optional<ReportNameParts> of(const std::string& pattern, std::string_view path);
};

// The pattern, or why it is none. Compiled once.
const Result<Pattern>& compiledNamePattern(const std::string& pattern);

} // namespace lockstep
