// SPDX-License-Identifier: Apache-2.0
// Edit distance between two words, counting omitted, inserted and substituted letters and transposed
// neighbors. Used for "did you mean". Pure functions; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace lockstep {

// Returns the edit distance, ignoring case and the difference between '-' and '_'. Time and memory grow with
// the product of the lengths.
size_t editDistance(std::string_view a, std::string_view b);

// Returns the entry of `words` with the fewest edits, the first one on a tie. Returns "" if even that entry
// needs more than 8 edits, or more edits than half the letters of the longer word. Words longer than 200
// bytes never match.
std::string_view nearestWord(std::string_view word, std::span<const std::string_view> words);

} // namespace lockstep
