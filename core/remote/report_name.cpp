// SPDX-License-Identifier: Apache-2.0
#include "core/remote/report_name.h"

#include <algorithm>
#include <unordered_map>

#include "core/base/text.h"

namespace lockstep {

std::string_view fileNameOfPath(std::string_view path)
{
    return path.substr(path.rfind('/') + 1); // if there is no slash, npos + 1 is 0
}

// Compiles each pattern once per thread.
static const Result<Pattern>& compiledNamePattern(const std::string& pattern)
{
    static thread_local std::unordered_map<std::string, Result<Pattern>> compiled;
    auto known = compiled.find(pattern);
    if (known == compiled.end()) known = compiled.emplace(pattern, Pattern::compile(pattern)).first;
    return known->second;
}

std::string namePatternProblem(const std::string& pattern)
{
    for (size_t begin = 0; begin < pattern.size();) {
        const size_t end = std::min(pattern.find('\n', begin), pattern.size());
        const Result<Pattern>& compiled = compiledNamePattern(pattern.substr(begin, end - begin));
        if (!compiled) return compiled.error().message;
        begin = end + 1;
    }
    return {};
}

std::optional<ReportNameParts> ReportNameParts::of(const std::string& pattern, std::string_view path)
{
    for (size_t begin = 0; begin < pattern.size();) {
        const size_t end = std::min(pattern.find('\n', begin), pattern.size());
        const Result<Pattern>& compiled = compiledNamePattern(pattern.substr(begin, end - begin));
        const auto match = compiled ? compiled->fullMatch(fileNameOfPath(path)) : std::nullopt;
        begin = end + 1;
        if (!match) continue;
        ReportNameParts parts;
        parts.rank = parseInt((*match)["rank"]);
        parts.step = parseInt((*match)["step"]);
        parts.range = parseInt((*match)["range"]);
        parts.pid = (*match)["pid"];
        return parts;
    }
    return std::nullopt;
}

} // namespace lockstep
