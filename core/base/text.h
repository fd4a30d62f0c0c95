// SPDX-License-Identifier: Apache-2.0
// Text conversions that several layers share: numbers to and from decimal text, time and byte amounts for
// people, UTF-8 repair, what a terminal may see. Pure functions, any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/time.h"

namespace lockstep {

// Decimal microseconds ("1712.345", "-0.5", "3e3") to integer ns, exactly, half away from zero beyond three
// decimals. Empty when text is no number or the result is outside kAllTime. Never goes through floating
// point.
std::optional<int64_t> nsFromMicrosecondText(std::string_view text);

// Whole text as a decimal integer; empty on anything else.
std::optional<int64_t> parseInt(std::string_view text);
// Whole text as a finite decimal number; empty on anything else.
std::optional<double> parseDouble(std::string_view text);

// A number with a unit ("1.5s", "250us", "12ms", "7", bare = ns; also "-2ms") to ns. Exact up to 9 decimals.
std::optional<int64_t> parseDuration(std::string_view text);

// For people: "1.204 118 402 s", "38.2 ms", "4.1 µs", "512 ns": the largest unit not above the value and at
// most `digits` digits after the point, grouped by threes with a thin space (U+2009), trailing zeros dropped.
std::string durationText(Duration d, int digits = 3);
// "12:04:31.204 118 402": UTC time of day of a Unix-epoch stamp; dateText gives "2026-11-20".
std::string utcTimeText(int64_t epoch_ns);
std::string utcDateText(int64_t epoch_ns);
// "512", "512M", "16GiB": B or nothing, K, M, G, T; always binary units. Not where it is no such count or has
// more than 62 bits.
std::optional<int64_t> parseBytes(std::string_view text);
// "512 B", "61.2 GiB": binary units, three significant digits.
std::string byteText(int64_t size_bytes);
// "16 782": integer grouped by threes with a thin space.
std::string groupedText(int64_t value);

// text with every byte that is not valid UTF-8, and every NUL, replaced by U+FFFD. repaired tells whether any
// was.
std::string repairedUtf8(std::string_view text, bool* repaired = nullptr);
bool isValidUtf8(std::string_view text);

// Text from outside (a log, a host, a file's name) as it may be written to a terminal: nothing in it moves
// the cursor, sets a title, reaches the clipboard, rings, or turns the reading order around. Colours are
// dropped (ESC [ ... m), a new line, return or tab becomes a blank, every other control character (C0, DEL,
// C1) and each mark of direction or of a line's end is spelt as JSON does ("\u001b"), broken UTF-8 becomes
// U+FFFD. What stands in `kept`, of '\n' and '\t', stays as it is.
std::string printable(std::string_view text, std::string_view kept = {});

// Lower-case ASCII copy; other bytes unchanged.
std::string lowerAscii(std::string_view text);

} // namespace lockstep
