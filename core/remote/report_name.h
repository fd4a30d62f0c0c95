// SPDX-License-Identifier: Apache-2.0
// Parsing of report file names by the pattern of the forecast. Pure, except for a per-thread cache of
// compiled patterns: a run has few patterns and many files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/pattern.h"
#include "core/base/result.h"

namespace lockstep {

// Returns the part after the last '/'.
std::string_view fileNameOfPath(std::string_view path);

// Returns the end of a path that a pattern describes: the file name, and as many folders as the pattern has
// '/' outside of brackets.
std::string_view partOfPath(std::string_view path, std::string_view pattern);

struct ReportNameParts {
    std::optional<int64_t> rank, step, range;
    std::string pid; // "" = the name does not contain it

    // `pattern` has one pattern per line, see ExpectedFile::pattern. Returns the parts for the first that
    // matches, and nullopt if none does.
    static std::optional<ReportNameParts> of(const std::string& pattern, std::string_view path);
};

// Returns why a pattern is invalid, or "".
std::string namePatternProblem(const std::string& pattern);

} // namespace lockstep
