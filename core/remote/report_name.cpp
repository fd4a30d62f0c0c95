// SPDX-License-Identifier: Apache-2.0
#include "core/remote/report_name.h"

#include <unordered_map>

#include "core/base/text.h"

namespace lockstep {

std::string_view fileNameOfPath(std::string_view path)
{
    return path.substr(path.rfind('/') + 1); // if there is no slash, npos + 1 is 0
}

const Result<Pattern>& compiledNamePattern(const std::string& pattern)
{
    static thread_local std::unordered_map<std::string, Result<Pattern>> compiled;
    auto known = compiled.find(pattern);
    if (known == compiled.end()) known = compiled.emplace(pattern, Pattern::compile(pattern)).first;
    return known->second;
}

std::optional<ReportNameParts> ReportNameParts::of(const std::string& pattern, std::string_view path)
{
    if (pattern.empty()) return std::nullopt;
    const Result<Pattern>& compiled = compiledNamePattern(pattern);
    const auto match = compiled ? compiled->fullMatch(fileNameOfPath(path)) : std::nullopt;
    if (!match) return std::nullopt;
    ReportNameParts parts;
    parts.rank = parseInt((*match)["rank"]);
    parts.step = parseInt((*match)["step"]);
    parts.range = parseInt((*match)["range"]);
    parts.pid = (*match)["pid"];
    return parts;
}

} // namespace lockstep
