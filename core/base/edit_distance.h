// SPDX-License-Identifier: Apache-2.0
// How far one word is from another in slips of the hand: letters left out, put in, taken for another, or two
// neighbours swapped. For "did you mean". Pure; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace lockstep {

// Number of slips, case and the difference of '-' and '_' not counted; time and memory grow with the product
// of the lengths.
size_t editDistance(std::string_view a, std::string_view b);

// The word of `words` with the fewest slips, the first of equals; "" where none is near: more slips than half
// the longer word's letters, or more than 8. Words longer than 200 bytes are near nothing.
std::string_view nearestWord(std::string_view word, std::span<const std::string_view> words);

} // namespace lockstep
