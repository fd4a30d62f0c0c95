// SPDX-License-Identifier: Apache-2.0
#include "core/session/shell/pattern.h"

#include <algorithm>

namespace lockstep::shell {

namespace {

// Returns the position after the set's ']' and whether c is in the set; npos if '[' does not open a set.
size_t matchSet(std::string_view pattern, size_t at, char c, bool& isIn)
{
    size_t i = at + 1;
    const bool isNegated = i < pattern.size() && (pattern[i] == '!' || pattern[i] == '^');
    if (isNegated) ++i;
    isIn = false;
    for (bool isFirst = true; i < pattern.size() && (isFirst || pattern[i] != ']'); isFirst = false) {
        const char low = pattern[i];
        if (i + 2 < pattern.size() && pattern[i + 1] == '-' && pattern[i + 2] != ']') {
            isIn |= low <= c && c <= pattern[i + 2];
            i += 3;
        } else {
            isIn |= low == c;
            ++i;
        }
    }
    if (i >= pattern.size()) return npos;
    isIn ^= isNegated;
    return i + 1;
}

// Returns the length of the pattern element at `at` if the element matches c, otherwise 0.
size_t fits(std::string_view pattern, size_t at, char c)
{
    if (pattern[at] == '?') return 1;
    if (pattern[at] == '[') {
        bool isIn = false;
        const size_t end = matchSet(pattern, at, c, isIn);
        if (end != npos) return isIn ? end - at : 0;
    }
    if (pattern[at] == '\\' && at + 1 < pattern.size()) return pattern[at + 1] == c ? 2 : 0;
    return pattern[at] == c ? 1 : 0;
}

// Returns the number of characters that the pattern matches, or npos if the pattern contains a star.
size_t fixedLength(std::string_view pattern)
{
    size_t length = 0;
    for (size_t at = 0; at < pattern.size(); ++length) {
        if (pattern[at] == '*') return npos;
        bool isIn = false;
        const size_t end = pattern[at] == '[' ? matchSet(pattern, at, 'x', isIn) : npos;
        at = end != npos ? end : at + (pattern[at] == '\\' && at + 1 < pattern.size() ? 2 : 1);
    }
    return length;
}

} // namespace

bool matches(std::string_view pattern, std::string_view text)
{
    size_t p = 0, t = 0, star = npos, retry = 0;
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            retry = t;
            continue;
        }
        const size_t length = p < pattern.size() ? fits(pattern, p, text[t]) : 0;
        if (length > 0) {
            p += length;
            ++t;
        } else if (star != npos) {
            p = star + 1;
            t = ++retry;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*')
        ++p;
    return p == pattern.size();
}

std::string withoutPrefix(std::string_view text, std::string_view pattern, bool longest)
{
    for (size_t i = 0; i <= text.size(); ++i) {
        const size_t length = longest ? text.size() - i : i;
        if (matches(pattern, text.substr(0, length))) return std::string(text.substr(length));
    }
    return std::string(text);
}

std::string withoutSuffix(std::string_view text, std::string_view pattern, bool longest)
{
    for (size_t i = 0; i <= text.size(); ++i) {
        const size_t begin = longest ? i : text.size() - i;
        if (matches(pattern, text.substr(begin))) return std::string(text.substr(0, begin));
    }
    return std::string(text);
}

std::string replaced(std::string_view text, std::string_view pattern, std::string_view by, bool all)
{
    std::string out;
    size_t at = 0;
    const size_t fixed = fixedLength(pattern);
    while (at < text.size()) {
        size_t length = std::min(text.size() - at, fixed);
        while (length > 0 && !matches(pattern, text.substr(at, length)))
            length = fixed == npos ? length - 1 : 0;
        if (length == 0) {
            out += text[at++];
            continue;
        }
        out += by;
        at += length;
        if (!all) break;
    }
    return out + std::string(text.substr(at));
}

} // namespace lockstep::shell
