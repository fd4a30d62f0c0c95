// SPDX-License-Identifier: Apache-2.0
// Matches shell patterns (* ? [...]) against whole strings, in time proportional to the product of the
// lengths. Pure.
#pragma once

#include <string>
#include <string_view>

namespace lockstep::shell {

constexpr size_t npos = std::string_view::npos;

bool matches(std::string_view pattern, std::string_view text);

// Removes the shortest or longest matching prefix (or suffix), as ${x#p}, ${x##p}, ${x%p} and ${x%%p} do.
std::string withoutPrefix(std::string_view text, std::string_view pattern, bool longest);
std::string withoutSuffix(std::string_view text, std::string_view pattern, bool longest);

// Replaces the first match, or all matches, using the longest match at each position.
std::string replaced(std::string_view text, std::string_view pattern, std::string_view by, bool all);

} // namespace lockstep::shell
