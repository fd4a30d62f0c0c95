// SPDX-License-Identifier: Apache-2.0
#include "core/readers/chrome_json/json_scalars.h"

#include <bit>
#include <charconv>
#include <cstring>

#include "core/base/text.h"

namespace lockstep {

namespace {

// Reads 1 to 8 digits at once; always reads 8 bytes. Returns false if any of the characters is not a digit.
[[gnu::always_inline]] inline bool readDigits(const char* text, size_t size, uint64_t& value)
{
    uint64_t bytes = 0;
    std::memcpy(&bytes, text, sizeof bytes);
    if constexpr (std::endian::native == std::endian::big) bytes = __builtin_bswap64(bytes);
    if (!areDigits(bytes, size)) return false;
    bytes = (bytes ^ 0x0101'0101'0101'0101u * '0') << (64 - 8 * size); // shifts zeros in front of the digits
    bytes = bytes * (1 + (10 << 8)) >> 8;                              // combines digits into pairs
    // combines pairs into groups of four
    bytes = (bytes & 0x00FF'00FF'00FF'00FFu) * (1 + (100 << 16)) >> 16;
    value = (bytes & 0x0000'FFFF'0000'FFFFu) * (1 + (uint64_t(10'000) << 32)) >> 32;
    return true;
}

// Returns the value of up to 16 digits. Otherwise returns nullopt, so that the caller uses the slow path.
// `text` must be followed by 8 readable bytes.
[[gnu::always_inline]] inline std::optional<uint64_t> plainDigits(std::string_view text)
{
    if (text.empty() || text.size() > 16) return std::nullopt;
    uint64_t high = 0, low = 0;
    const size_t more = text.size() > 8 ? text.size() - 8 : 0;
    if (more > 0 && !readDigits(text.data(), more, high)) return std::nullopt;
    if (!readDigits(text.data() + more, text.size() - more, low)) return std::nullopt;
    return high * 100'000'000 + low;
}

// Parses the entire text as an integer; nullopt if it is not one or is out of range.
template<class T>
std::optional<T> wholeNumberOf(std::string_view text)
{
    T value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

} // namespace

bool isNotFinite(std::string_view text)
{
    if (text.starts_with('-')) text.remove_prefix(1);
    if (text.empty() || (text[0] | 0x20) < 'i' || (text[0] | 0x20) > 'n' || text.size() > 8) return false;
    const std::string word = lowerAscii(text);
    return word == "nan" || word == "inf" || word == "infinity";
}

std::optional<int64_t> nsFromTimestamp(std::string_view text)
{
    uint64_t value = 0;
    size_t at = 0;
    for (; at < text.size() && at < 16 && text[at] >= '0' && text[at] <= '9'; ++at) {
        value = value * 10 + static_cast<uint64_t>(text[at] - '0');
    }
    const size_t decimals = at < text.size() && text[at] == '.' ? text.size() - at - 1 : 0;
    if (at == 0 || decimals > 3 || (at < text.size() && decimals == 0)) return nsFromMicrosecondText(text);
    uint64_t fraction = 0;
    for (size_t i = 0; i < 3; ++i) {
        const char c = i < decimals ? text[at + 1 + i] : '0';
        if (c < '0' || c > '9') return nsFromMicrosecondText(text);
        fraction = fraction * 10 + static_cast<uint64_t>(c - '0');
    }
    const uint64_t ns = value * 1000 + fraction; // at most 10^19
    if (ns > static_cast<uint64_t>(kAllTime.end.ns)) return std::nullopt;
    return static_cast<int64_t>(ns);
}

// Nearly all timestamps are integers or have three decimals.
std::optional<int64_t> timestampOf(std::string_view text)
{
    const bool hasDecimals = text.size() > 4 && text[text.size() - 4] == '.';
    const auto whole = plainDigits(hasDecimals ? text.substr(0, text.size() - 4) : text);
    uint64_t fraction = 0;
    if (!whole || (hasDecimals && !readDigits(text.data() + text.size() - 3, 3, fraction)))
        return nsFromTimestamp(text);
    const uint64_t ns = *whole * 1000 + fraction; // at most 10^19
    if (ns > static_cast<uint64_t>(kAllTime.end.ns)) return std::nullopt;
    return static_cast<int64_t>(ns);
}

std::optional<uint64_t> unsignedOf(std::string_view text)
{
    if (const auto digits = plainDigits(text)) return digits;
    if (const auto whole = wholeNumberOf<uint64_t>(text)) return whole;
    const auto number = parseDouble(text);
    if (!number || *number < 0 || *number > 1e18) return std::nullopt;
    return static_cast<uint64_t>(*number);
}

std::optional<int64_t> signedOf(std::string_view text)
{
    if (const auto whole = integerOf(text)) return whole;
    const auto number = parseDouble(text);
    if (!number || *number < -1e18 || *number > 1e18) return std::nullopt;
    return static_cast<int64_t>(*number);
}

std::optional<int64_t> integerOf(std::string_view text)
{
    if (const auto digits = plainDigits(text)) return static_cast<int64_t>(*digits);
    return wholeNumberOf<int64_t>(text);
}

} // namespace lockstep
