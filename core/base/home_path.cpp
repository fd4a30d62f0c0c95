// SPDX-License-Identifier: Apache-2.0
#include "core/base/home_path.h"

#include <array>
#include <cstdlib>

namespace lockstep {

// Returns the length of a reference at the beginning of the text, or 0. `quote` may end the path.
static size_t leadingReference(std::string_view text, char quote)
{
    constexpr std::array<std::string_view, 3> kReferences{"~", "$HOME", "${HOME}"};
    for (const std::string_view reference : kReferences) {
        if (!text.starts_with(reference)) continue;
        const std::string_view rest = text.substr(reference.size());
        if (rest.empty() || rest[0] == '/' || (quote != '\0' && rest[0] == quote)) return reference.size();
    }
    return 0;
}

HomeReference homeReference(std::string_view word)
{
    if (const size_t size_bytes = leadingReference(word, '\0'); size_bytes > 0) return {0, size_bytes};
    size_t begin = word.find('=');
    if (begin == std::string_view::npos || ++begin == word.size()) return {};
    const char quote = word[begin] == '"' || word[begin] == '\'' ? word[begin] : '\0';
    if (quote != '\0') ++begin;
    return {begin, leadingReference(word.substr(begin), quote)};
}

std::string withHome(std::string_view word, std::string_view home)
{
    const HomeReference found = homeReference(word);
    if (found.size_bytes == 0 || home.empty()) return std::string(word);
    return std::string(word.substr(0, found.begin)) + std::string(home) +
           std::string(word.substr(found.begin + found.size_bytes));
}

bool isAbsoluteOrHomePath(std::string_view path)
{
    return path.starts_with('/') || leadingReference(path, '\0') > 0;
}

std::string withOwnHome(std::string_view word)
{
    const char* const home = std::getenv("HOME");
    return withHome(word, home != nullptr ? home : "");
}

} // namespace lockstep
