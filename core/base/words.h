// SPDX-License-Identifier: Apache-2.0
// Small helpers for words and characters, shared by text readers. ASCII only, any thread.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace lockstep {

constexpr bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

// Returns true for JSON whitespace.
constexpr bool isJsonBlank(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

// Returns true if c may occur in a shell, C or Python name.
constexpr bool isNameChar(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || isDigit(c) || c == '_';
}

inline bool isOneOf(std::string_view word, std::initializer_list<std::string_view> words)
{
    return std::find(words.begin(), words.end(), word) != words.end();
}

// Returns text without the characters of `blanks` at both ends.
inline std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\r\n")
{
    const size_t begin = text.find_first_not_of(blanks);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

// Returns the text after the last '/', or the whole text.
inline std::string_view baseName(std::string_view path)
{
    return path.substr(path.rfind('/') + 1);
}

} // namespace lockstep
