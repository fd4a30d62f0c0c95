// SPDX-License-Identifier: Apache-2.0
#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <ctime>

namespace lockstep {

namespace {

constexpr std::string_view kThinSpace = "\u2009";
constexpr std::string_view kReplacement = "\uFFFD";

using Wide = __int128;

// Returns decimal text times 10^scale as an integer, rounded half away from zero; nullopt if the text is not
// a number or if the result is too large.
std::optional<int64_t> scaledInteger(std::string_view text, int scale)
{
    size_t at = 0;
    const bool negative = !text.empty() && text[0] == '-';
    if (negative || (!text.empty() && text[0] == '+')) ++at;
    Wide value = 0;
    int digits = 0, decimals = 0, exponent = 0;
    bool point = false;
    for (; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '.' && !point) {
            point = true;
        } else if (c >= '0' && c <= '9') {
            ++digits;
            if (value < Wide(1) << 100) {
                value = value * 10 + (c - '0');
                decimals += point;
            } else if (!point) {
                return std::nullopt;
            }
        } else {
            break;
        }
    }
    if (digits == 0) return std::nullopt;
    if (at < text.size()) {
        if (text[at] != 'e' && text[at] != 'E') return std::nullopt;
        const char* begin = text.data() + at + 1;
        const char* const end = text.data() + text.size();
        if (begin < end && *begin == '+') ++begin;
        const auto [stop, error] = std::from_chars(begin, end, exponent);
        if (error != std::errc() || stop != end || begin == end) return std::nullopt;
        if (exponent > 100 || exponent < -100) return value == 0 ? std::optional<int64_t>(0) : std::nullopt;
    }
    int shift = scale + exponent - decimals;
    for (; shift > 0; --shift) {
        if (value > Wide(1) << 100) return std::nullopt;
        value *= 10;
    }
    int roundDigit = 0;
    for (; shift < 0; ++shift) {
        roundDigit = static_cast<int>(value % 10);
        value /= 10;
    }
    if (roundDigit >= 5) ++value;
    if (value > kAllTime.end.ns) return std::nullopt;
    return static_cast<int64_t>(negative ? -value : value);
}

// Groups digits in threes from the decimal point outwards: the integer part "1234" becomes "1,234", the
// fraction "204118402" becomes "204 118 402" with thin spaces.
std::string grouped(std::string_view digits, bool isInteger)
{
    std::string out;
    for (size_t i = 0; i < digits.size(); ++i) {
        const size_t place = isInteger ? digits.size() - i : i;
        if (i > 0 && place % 3 == 0) out += isInteger ? "," : kThinSpace;
        out += digits[i];
    }
    return out;
}

// Returns `value` units of 10^-decimals: "1,204.5". Trailing zeros of the fraction are omitted.
std::string decimalText(uint64_t value, uint64_t scale, int decimals)
{
    std::string fraction = std::to_string(value % scale);
    if (decimals > 0) fraction.insert(0, static_cast<size_t>(decimals) - fraction.size(), '0');
    while (!fraction.empty() && fraction.back() == '0')
        fraction.pop_back();
    std::string out = grouped(std::to_string(value / scale), true);
    if (!fraction.empty()) out += "." + grouped(fraction, false);
    return out;
}

constexpr uint64_t kSecond_ns = 1'000'000'000, kHour_ns = 3'600 * kSecond_ns, kDay_ns = 24 * kHour_ns;

uint64_t roundedTo(uint64_t value, uint64_t step)
{
    return (value + step / 2) / step * step;
}

// Returns a duration of an hour or more: "1,499 d 2 h", "2 h 3 min 4 s". Units that are zero are omitted.
std::string longDurationText(uint64_t magnitude_ns, uint64_t step_ns)
{
    uint64_t rest_ns = roundedTo(magnitude_ns, step_ns);
    std::string out;
    const auto add = [&out](const std::string& number, std::string_view unit) {
        out += (out.empty() ? "" : " ") + number + " " + std::string(unit);
    };
    for (const auto& [unit_ns, name] : {std::pair(kDay_ns, "d"), {kHour_ns, "h"}, {60 * kSecond_ns, "min"}}) {
        if (rest_ns >= unit_ns) add(grouped(std::to_string(rest_ns / unit_ns), true), name);
        rest_ns %= unit_ns;
    }
    if (rest_ns > 0) add(decimalText(rest_ns, kSecond_ns, 9), "s");
    return out;
}

// Returns the length of the valid UTF-8 sequence at text[0], or 0.
size_t utf8SequenceLength(std::string_view text)
{
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
    const auto isTail = [&](size_t i) { return i < text.size() && (byte(i) & 0xC0) == 0x80; };
    const unsigned char first = byte(0);
    if (first == 0) return 0;
    if (first < 0x80) return 1;
    if (first >= 0xC2 && first < 0xE0) return isTail(1) ? 2 : 0;
    if (first >= 0xE0 && first < 0xF0) {
        if (!isTail(1) || !isTail(2)) return 0;
        if (first == 0xE0 && byte(1) < 0xA0) return 0;
        if (first == 0xED && byte(1) >= 0xA0) return 0;
        return 3;
    }
    if (first >= 0xF0 && first < 0xF5) {
        if (!isTail(1) || !isTail(2) || !isTail(3)) return 0;
        if (first == 0xF0 && byte(1) < 0x90) return 0;
        if (first == 0xF4 && byte(1) >= 0x90) return 0;
        return 4;
    }
    return 0;
}

// Returns the code point of a valid sequence.
char32_t codePoint(std::string_view sequence)
{
    const auto first = static_cast<unsigned char>(sequence[0]);
    if (sequence.size() == 1) return first;
    char32_t code = first & (0x7Fu >> sequence.size());
    for (const char tail : sequence.substr(1))
        code = code << 6 | (static_cast<unsigned char>(tail) & 0x3Fu);
    return code;
}

// Returns true for control characters, and for characters that change the order of text or break lines.
bool actsOnTerminals(char32_t code)
{
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x061C || code == 0x200E ||
           code == 0x200F || (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) ||
           code == 0xFEFF;
}

// Returns the length of the color sequence at text[0], "ESC [ 1;31 m", or 0.
size_t colorSequenceLength(std::string_view text)
{
    if (!text.starts_with("\x1B[")) return 0;
    const size_t end = text.find_first_not_of("0123456789;:", 2);
    return end != text.npos && text[end] == 'm' ? end + 1 : 0;
}

std::tm utcParts(int64_t epoch_ns, int64_t& fraction_ns)
{
    int64_t seconds = epoch_ns / 1'000'000'000;
    fraction_ns = epoch_ns % 1'000'000'000;
    if (fraction_ns < 0) {
        fraction_ns += 1'000'000'000;
        --seconds;
    }
    const std::time_t time = seconds;
    std::tm parts = {};
    gmtime_r(&time, &parts);
    return parts;
}

} // namespace

std::optional<int64_t> nsFromMicrosecondText(std::string_view text)
{
    return scaledInteger(text, 3);
}

std::optional<int64_t> nsFromSecondText(std::string_view text)
{
    return scaledInteger(text, 9);
}

std::optional<int64_t> parseInt(std::string_view text)
{
    int64_t value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || stop != text.data() + text.size() || text.empty()) return std::nullopt;
    return value;
}

std::optional<double> parseDouble(std::string_view text)
{
    double value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || stop != text.data() + text.size() || !std::isfinite(value))
        return std::nullopt;
    return value;
}

std::optional<int64_t> parseDuration(std::string_view text)
{
    struct Unit {
        std::string_view name;
        int scale;
    };
    static constexpr std::array<Unit, 6> kUnits{
        {{"ns", 0}, {"us", 3}, {"\u00B5s", 3}, {"\u03BCs", 3}, {"ms", 6}, {"s", 9}}};
    for (const Unit& unit : kUnits) {
        if (text.ends_with(unit.name))
            return scaledInteger(text.substr(0, text.size() - unit.name.size()), unit.scale);
    }
    return scaledInteger(text, 0);
}

std::string durationText(Duration d, int digits)
{
    struct Unit {
        int64_t ns;
        int decimals;
        std::string_view name;
    };
    static constexpr std::array<Unit, 4> kUnits{
        {{1'000'000'000, 9, "s"}, {1'000'000, 6, "ms"}, {1'000, 3, "\u00B5s"}, {1, 0, "ns"}}};
    const uint64_t magnitude = d.ns < 0 ? 0 - static_cast<uint64_t>(d.ns) : static_cast<uint64_t>(d.ns);
    size_t chosen = kUnits.size() - 1;
    for (size_t i = kUnits.size(); i-- > 0;) {
        if (magnitude >= static_cast<uint64_t>(kUnits[i].ns)) chosen = i;
    }
    const Unit& unit = kUnits[chosen];
    uint64_t keep = 1;
    for (int i = digits; i < unit.decimals; ++i)
        keep *= 10;
    const std::string sign = d.ns < 0 ? "\u2212" : "";
    if (magnitude >= kHour_ns) {
        const bool isExact = digits > 3;
        const uint64_t step = isExact ? keep : magnitude >= kDay_ns ? kHour_ns : kSecond_ns;
        return sign + longDurationText(magnitude, step);
    }
    return sign + decimalText(roundedTo(magnitude, keep), static_cast<uint64_t>(unit.ns), unit.decimals) +
           " " + std::string(unit.name);
}

std::string utcTimeText(int64_t epoch_ns)
{
    int64_t fraction_ns = 0;
    const std::tm parts = utcParts(epoch_ns, fraction_ns);
    std::array<char, 16> clock = {};
    std::strftime(clock.data(), clock.size(), "%H:%M:%S", &parts);
    std::string fraction = std::to_string(fraction_ns);
    fraction.insert(0, 9 - fraction.size(), '0');
    return std::string(clock.data()) + "." + grouped(fraction, false);
}

std::string utcDateText(int64_t epoch_ns)
{
    int64_t fraction_ns = 0;
    const std::tm parts = utcParts(epoch_ns, fraction_ns);
    std::array<char, 16> date = {};
    std::strftime(date.data(), date.size(), "%Y-%m-%d", &parts);
    return date.data();
}

std::optional<int64_t> parseBytes(std::string_view text)
{
    static constexpr std::array<std::pair<std::string_view, int>, 10> kUnits{{{"KiB", 10},
                                                                              {"MiB", 20},
                                                                              {"GiB", 30},
                                                                              {"TiB", 40},
                                                                              {"K", 10},
                                                                              {"M", 20},
                                                                              {"G", 30},
                                                                              {"T", 40},
                                                                              {"B", 0},
                                                                              {"", 0}}};
    const auto unit = std::ranges::find_if(kUnits, [&](const auto& u) { return text.ends_with(u.first); });
    const auto count = parseInt(text.substr(0, text.size() - unit->first.size()));
    if (!count || *count < 0 || *count > int64_t(1) << (62 - unit->second)) return std::nullopt;
    return *count << unit->second;
}

std::string byteText(int64_t size_bytes)
{
    static constexpr std::array<const char*, 6> kUnits{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    double value = std::abs(static_cast<double>(size_bytes));
    size_t unit = 0;
    for (; value >= 1024 && unit + 1 < kUnits.size(); ++unit)
        value /= 1024;
    const int decimals = unit == 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
    std::array<char, 32> text = {};
    std::snprintf(text.data(), text.size(), "%s%.*f %s", size_bytes < 0 ? "\u2212" : "", decimals, value,
                  kUnits[unit]);
    return text.data();
}

std::string groupedText(int64_t value)
{
    const std::string digits = std::to_string(value);
    return value < 0 ? "\u2212" + grouped(std::string_view(digits).substr(1), true) : grouped(digits, true);
}

std::string repairedUtf8(std::string_view text, bool* repaired)
{
    std::string out;
    out.reserve(text.size());
    bool changed = false;
    while (!text.empty()) {
        const size_t length = utf8SequenceLength(text);
        changed |= length == 0;
        out += length == 0 ? kReplacement : text.substr(0, length);
        text.remove_prefix(length == 0 ? 1 : length);
    }
    if (repaired != nullptr) *repaired = changed;
    return out;
}

bool isValidUtf8(std::string_view text)
{
    while (!text.empty()) {
        const size_t length = utf8SequenceLength(text);
        if (length == 0) return false;
        text.remove_prefix(length);
    }
    return true;
}

std::string printable(std::string_view text, std::string_view preserved)
{
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        if (const size_t colorSize = colorSequenceLength(text); colorSize > 0) {
            text.remove_prefix(colorSize);
            continue;
        }
        const size_t length = utf8SequenceLength(text);
        const std::string_view sequence = text.substr(0, std::max<size_t>(length, 1));
        text.remove_prefix(sequence.size());
        const char32_t code = length == 0 ? 0xFFFD : codePoint(sequence);
        if (length == 0) {
            out += kReplacement;
        } else if (!actsOnTerminals(code) || (length == 1 && preserved.find(sequence) != preserved.npos)) {
            out += sequence;
        } else if (code == '\n' || code == '\r' || code == '\t') {
            out += ' ';
        } else {
            std::array<char, 16> spelt = {};
            std::snprintf(spelt.data(), spelt.size(), "\\u%04x", static_cast<unsigned>(code));
            out += spelt.data();
        }
    }
    return out;
}

std::string lowerAscii(std::string_view text)
{
    std::string out(text);
    for (char& c : out) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return out;
}

std::vector<std::string_view> splitAt(std::string_view text, char separator)
{
    std::vector<std::string_view> parts;
    for (size_t begin = 0; begin <= text.size();) {
        const size_t end = std::min(text.find(separator, begin), text.size());
        parts.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

} // namespace lockstep
