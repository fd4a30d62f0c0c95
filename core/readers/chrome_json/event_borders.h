// SPDX-License-Identifier: Apache-2.0
// Where the objects of a JSON array end, found without parsing: a scan that knows strings, escapes and depth,
// 64 bytes at a time. The window cutter, the parser's fallback and slice details ask it. Pure functions, any
// thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace lockstep {

// What a stretch of an array's inside holds.
struct EventBorders {
    size_t end = 0; // one past the last element that closes within the text; 0 when none does
    bool arrayClosed =
        false; // the array's own ] was met; it stands at closeAt, and nothing after it was looked at
    size_t closeAt = 0;
};

// text begins between two elements of an array. About 5 GB/s.
EventBorders findEventBorders(std::string_view text);

// One past the end of the object that begins at text[0] == '{', taking every unescaped quote as the end of a
// string; empty when it does not close.
std::optional<size_t> objectEnd(std::string_view text);

// The same for text whose strings hold unescaped quotes: a quote ends a string only where the next non-blank
// is one of , : } ] or the text's end.
std::optional<size_t> tolerantObjectEnd(std::string_view text);

// True when the quote at text[at], met inside a string, ends it by the rule of tolerantObjectEnd().
bool endsString(std::string_view text, size_t at);

} // namespace lockstep
