// SPDX-License-Identifier: Apache-2.0
// Text conversions shared by several layers: decimal numbers, times and byte counts for people, UTF-8 repair,
// and sanitizing for terminals. Pure functions, any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/time.h"

namespace lockstep {

// Converts decimal microseconds ("1712.345", "-0.5", "3e3") to ns exactly, rounding decimals beyond the third
// half away from zero. Returns nullopt if text is not a number or the result is outside kAllTime. Never uses
// floating point.
std::optional<int64_t> nsFromMicrosecondText(std::string_view text);
// The same for seconds.
std::optional<int64_t> nsFromSecondText(std::string_view text);

// Parses the entire text as a decimal integer; nullopt if it is not one.
std::optional<int64_t> parseInt(std::string_view text);
// Parses the entire text as a finite decimal number; nullopt if it is not one.
std::optional<double> parseDouble(std::string_view text);

// Converts a number with a unit ("1.5s", "250us", "12ms", "-2ms") to ns; a number without a unit is in ns.
// Exact up to 9 decimals.
std::optional<int64_t> parseDuration(std::string_view text);

// Returns a duration for display: "38.2 ms", "4.1 µs", "512 ns", "1.204 118 402 s", "2 h 3 min 4 s", "1,499 d
// 2 h". The unit is the largest that is not greater than the value. `digits` limits the decimals, whose
// groups are separated by thin spaces (U+2009); trailing zeros are omitted. With at most 3 `digits`,
// durations of an hour or more are rounded to seconds, and those of a day or more to hours.
std::string durationText(Duration d, int digits = 3);
// Returns the UTC time of day of a Unix timestamp, "12:04:31.204 118 402". utcDateText() returns the date:
// "2026-11-20".
std::string utcTimeText(int64_t epoch_ns);
std::string utcDateText(int64_t epoch_ns);
// Parses a byte count such as "512", "512M" or "16GiB" (suffix B, K, M, G, T or none; the units are always
// binary). Returns nullopt if text is not a byte count or needs more than 62 bits.
std::optional<int64_t> parseBytes(std::string_view text);
// Returns a byte count for display, "512 B" or "61.2 GiB": binary units, three significant digits.
std::string byteText(int64_t size_bytes);
// Returns an integer with digit grouping: "16,782".
std::string groupedText(int64_t value);

// Returns text with every invalid UTF-8 byte and every NUL replaced by U+FFFD. Sets `repaired` to true if any
// byte was replaced.
std::string repairedUtf8(std::string_view text, bool* repaired = nullptr);
bool isValidUtf8(std::string_view text);

// Returns text from outside (a log, a host, a file name) in a form that is safe to write to a terminal: it
// cannot move the cursor, set a title, access the clipboard, ring the bell or reverse the reading order.
// Colors (ESC [ ... m) are removed; line breaks and tabs become spaces; other control characters (C0, DEL,
// C1) and direction or line separator marks are escaped as in JSON ("\u001b"); invalid UTF-8 becomes U+FFFD.
// Characters in `preserved` ('\n' and '\t' are possible) are preserved.
std::string printable(std::string_view text, std::string_view preserved = {});

// Returns text with ASCII letters in lower case; other bytes are unchanged.
std::string lowerAscii(std::string_view text);

// Returns the parts of a text between the separators, also empty ones: one more than there are separators.
std::vector<std::string_view> splitAt(std::string_view text, char separator);

} // namespace lockstep
