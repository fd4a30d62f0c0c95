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

std::string_view partOfPath(std::string_view path, std::string_view pattern)
{
    size_t folders = 0;
    bool isInBrackets = false;
    for (size_t i = 0; i < pattern.size(); ++i) {
        if (pattern[i] == '\\') {
            ++i;
        } else if (pattern[i] == '[' || pattern[i] == ']') {
            isInBrackets = pattern[i] == '[';
        } else if (pattern[i] == '/' && !isInBrackets) {
            ++folders;
        }
    }
    size_t begin = path.size();
    for (size_t left = folders + 1; left > 0 && begin > 0; --left) {
        begin = path.rfind('/', begin - 1);
        if (begin == std::string_view::npos) return path;
    }
    return path.substr(std::min(path.size(), begin + 1));
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
        const std::string line = pattern.substr(begin, end - begin);
        const Result<Pattern>& compiled = compiledNamePattern(line);
        const auto match = compiled ? compiled->fullMatch(partOfPath(path, line)) : std::nullopt;
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
