// SPDX-License-Identifier: Apache-2.0
// Shell patterns (* ? [...]) over whole texts, in time proportional to the product of the lengths. Pure.
#pragma once

#include <string>
#include <string_view>

namespace lockstep::shell {

constexpr size_t npos = std::string_view::npos;

bool matches(std::string_view pattern, std::string_view text);

// text without its shortest or longest beginning (or end) that the pattern fits, as ${x#p}, ${x##p}, ${x%p},
// ${x%%p}.
std::string withoutBegin(std::string_view text, std::string_view pattern, bool longest);
std::string withoutEnd(std::string_view text, std::string_view pattern, bool longest);

// Every part, or the first, that the pattern fits, replaced; the longest part at each place.
std::string replaced(std::string_view text, std::string_view pattern, std::string_view by, bool all);

} // namespace lockstep::shell
