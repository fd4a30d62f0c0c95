// SPDX-License-Identifier: Apache-2.0
// Converts JSON scalars (strings, numbers, words) as written in a file. Numbers in quotes are read like
// numbers. Pure functions, any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/base/words.h"

namespace lockstep {

inline std::string_view withoutTrailingBlanks(std::string_view text)
{
    while (!text.empty() && isJsonBlank(text.back()))
        text.remove_suffix(1);
    return text;
}

// Returns a scalar without quotes and without trailing blanks.
inline std::string_view scalarText(std::string_view token)
{
    token = withoutTrailingBlanks(token);
    if (token.size() >= 2 && token.front() == '"' && token.back() == '"')
        return token.substr(1, token.size() - 2);
    return token;
}

// Returns true if the first `size` bytes, 1 to 8, of a text are digits. `bytes` contains eight bytes of the
// text, the first one in the lowest bits.
inline bool areDigits(uint64_t bytes, size_t size)
{
    constexpr uint64_t kEachByte = 0x0101'0101'0101'0101u;
    bytes = (bytes ^ kEachByte * '0') << (64 - 8 * size);
    return (((bytes + kEachByte * 0x76) | bytes) & kEachByte * 0x80) == 0; // no byte is greater than 9
}

// Returns true for NaN and infinity, which Python and C write but JSON does not allow: nan, inf and infinity
// in any case, with or without a minus sign.
bool isNotFinite(std::string_view text);

// Converts a timestamp or duration in microseconds, as written in ts and dur. Equivalent to
// nsFromMicrosecondText(), with a fast path. Does not read beyond the text.
std::optional<int64_t> nsFromTimestamp(std::string_view text);

// Functions for text without quotes that is followed by at least 8 readable bytes, such as tokens of a
// JsonTokens. A number with decimals is truncated to an integer.
std::optional<int64_t> timestampOf(std::string_view text);
std::optional<uint64_t> unsignedOf(std::string_view text);
std::optional<int64_t> signedOf(std::string_view text);
// Returns nullopt for numbers with a fraction or an exponent, even if their value is an integer.
std::optional<int64_t> integerOf(std::string_view text);

} // namespace lockstep
