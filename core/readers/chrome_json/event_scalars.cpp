// SPDX-License-Identifier: Apache-2.0
#include "core/readers/chrome_json/event_scalars.h"

#include "core/readers/chrome_json/fact_arguments.h"

#include <bit>
#include <charconv>

#include "core/base/text.h"

namespace lockstep {

namespace {

constexpr uint64_t kEachByte = 0x0101'0101'0101'0101u;

// Reads 1 to 8 digits at once; always reads 8 bytes. Returns false if any of the characters is not a digit.
[[gnu::always_inline]] inline bool readDigits(const char* text, size_t size, uint64_t& value)
{
    uint64_t bytes = 0;
    std::memcpy(&bytes, text, sizeof bytes);
    if constexpr (std::endian::native == std::endian::big) bytes = __builtin_bswap64(bytes);
    bytes = (bytes ^ kEachByte * '0') << (64 - 8 * size); // shifts zeros in front of the digits
    // at least one byte is greater than 9
    if (((bytes + kEachByte * 0x76) | bytes) & kEachByte * 0x80) return false;
    bytes = bytes * (1 + (10 << 8)) >> 8; // combines digits into pairs
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

// Fast path of nsFromStamp() for text in a window. Nearly all timestamps are integers or have three decimals.
std::optional<int64_t> stampOf(std::string_view text)
{
    const bool hasDecimals = text.size() > 4 && text[text.size() - 4] == '.';
    const auto whole = plainDigits(hasDecimals ? text.substr(0, text.size() - 4) : text);
    uint64_t fraction = 0;
    if (!whole || (hasDecimals && !readDigits(text.data() + text.size() - 3, 3, fraction)))
        return nsFromStamp(text);
    const uint64_t ns = *whole * 1000 + fraction; // at most 10^19
    if (ns > static_cast<uint64_t>(kAllTime.end.ns)) return std::nullopt;
    return static_cast<int64_t>(ns);
}

std::optional<uint64_t> unsignedOf(std::string_view token)
{
    const std::string_view text = scalarText(token);
    if (const auto digits = plainDigits(text)) return digits;
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size()) return value;
    const auto number = parseDouble(text);
    if (!number || *number < 0 || *number > 1e18) return std::nullopt;
    return static_cast<uint64_t>(*number);
}

std::optional<int64_t> signedOf(std::string_view token)
{
    const std::string_view text = scalarText(token);
    if (const auto digits = plainDigits(text)) return static_cast<int64_t>(*digits);
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size()) return value;
    const auto number = parseDouble(text);
    if (!number || *number < -1e18 || *number > 1e18) return std::nullopt;
    return static_cast<int64_t>(*number);
}

ActorText actorOf(std::string_view token)
{
    ActorText actor;
    const std::string_view text = scalarText(token);
    if (const auto digits = plainDigits(text)) {
        actor.number = static_cast<int64_t>(*digits);
        return actor;
    }
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), actor.number);
    if (error != std::errc() || end != text.data() + text.size()) {
        actor.number = 0;
        actor.text = text;
        actor.isText = true;
    }
    return actor;
}

bool isTrue(std::string_view token)
{
    const std::string_view text = scalarText(token);
    return text == "true" || text == "1";
}

template<class T, class Number>
void take(const std::optional<Number>& from, T& to, bool& has)
{
    if (!from) return;
    to = static_cast<T>(*from);
    has = true;
}

} // namespace

std::optional<int64_t> nsFromStamp(std::string_view text)
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

ScalarField scalarFieldOf(const char* key)
{
    switch (key[0]) {
    case 'p':
        if (isKey(key, "ph")) return ScalarField::phase;
        if (isKey(key, "pid")) return ScalarField::process;
        break;
    case 't':
        if (isKey(key, "tid")) return ScalarField::thread;
        if (isKey(key, "ts")) return ScalarField::start;
        break;
    case 'd':
        if (isKey(key, "dur")) return ScalarField::duration;
        break;
    case 'i':
        if (isKey(key, "id")) return ScalarField::id;
        break;
    case 's':
        if (isKey(key, "scope")) return ScalarField::scope;
        break;
    case 'b':
        if (isKey(key, "bp")) return ScalarField::bindsEnclosing;
        if (isKey(key, "bind_id")) return ScalarField::bindId;
        break;
    case 'f':
        if (isKey(key, "flow_in")) return ScalarField::flowsIn;
        if (isKey(key, "flow_out")) return ScalarField::flowsOut;
        break;
    default:
        break;
    }
    return ScalarField::none;
}

void readScalarField(ScalarField field, std::string_view token, RawEvent& event)
{
    switch (field) {
    case ScalarField::phase:
        event.phase = token.size() > 2 ? token[1] : '?';
        break;
    case ScalarField::process:
        event.pid = actorOf(token);
        break;
    case ScalarField::thread:
        event.tid = actorOf(token);
        break;
    case ScalarField::start:
        take(stampOf(scalarText(token)), event.start_ns, event.hasStart);
        event.badStart = !event.hasStart;
        break;
    case ScalarField::duration:
        take(stampOf(scalarText(token)), event.duration_ns, event.hasDuration);
        event.badDuration = !event.hasDuration;
        break;
    case ScalarField::id:
        event.id = scalarText(token);
        break;
    case ScalarField::scope:
        event.scope = scalarText(token);
        break;
    case ScalarField::bindsEnclosing:
        event.bindsEnclosing = scalarText(token) == "e";
        break;
    case ScalarField::bindId:
        event.bindId = scalarText(token);
        break;
    case ScalarField::flowsIn:
        event.flowsIn = isTrue(token);
        break;
    case ScalarField::flowsOut:
        event.flowsOut = isTrue(token);
        break;
    case ScalarField::none:
        break;
    }
}

void readNamedArgument(const char* key, std::string_view token, EventArguments& args)
{
    readFactArgument(key, token, args.facts);
    bool ignored = false;
    switch (key[0]) {
    case 'c':
        if (isKey(key, "correlation")) args.correlation = unsignedOf(token).value_or(0);
        if (isKey(key, "connection_id")) take(unsignedOf(token), args.connection, ignored);
        if (isKey(key, "count")) take(unsignedOf(token), args.elements, ignored);
        if (isKey(key, "context")) take(signedOf(token), args.context, ignored);
        break;
    case 's':
        if (isKey(key, "stream")) take(signedOf(token), args.stream, args.hasStream);
        break;
    case 'd':
        if (isKey(key, "device")) take(signedOf(token), args.device, args.hasDevice);
        if (isKey(key, "data_type")) args.dataType = scalarText(token);
        break;
    case 'l':
        if (isKey(key, "level")) args.level = scalarText(token);
        break;
    case 'E':
        if (isKey(key, "External id")) args.externalId = token;
        if (isKey(key, "Ev Idx")) take(unsignedOf(token), args.eventIndex, ignored);
        break;
    case 'A':
        if (isKey(key, "Addr")) take(unsignedOf(token), args.address, args.hasAddress);
        break;
    case 'B':
        if (isKey(key, "Bytes")) take(signedOf(token), args.change_bytes, args.hasChange);
        break;
    case 'b':
        if (isKey(key, "bytes")) take(unsignedOf(token), args.size_bytes, args.hasSize);
        break;
    case 'D':
        if (isKey(key, "Device Type")) take(signedOf(token), args.deviceType, ignored);
        if (isKey(key, "Device Id")) take(signedOf(token), args.deviceId, args.hasDeviceId);
        break;
    case 'T':
        if (isKey(key, "Task Type")) args.taskType = scalarText(token);
        if (isKey(key, "Total Allocated")) take(signedOf(token), args.allocated_bytes, args.hasAllocated);
        if (isKey(key, "Total Reserved")) take(signedOf(token), args.reserved_bytes, args.hasReserved);
        break;
    default:
        break;
    }
}

// Most arguments of a GPU row start with a lower-case letter, most arguments of a communication with an
// upper-case letter.
std::string_view collectiveKey(const char* key)
{
    if ((key[0] < 'A' || key[0] > 'Z') && !isKey(key, "dtype")) return {};
    constexpr size_t kLongestKey = 32;
    const void* end = std::memchr(key, '"', kLongestKey);
    if (end == nullptr) return {};
    return {key, static_cast<size_t>(static_cast<const char*>(end) - key)};
}

} // namespace lockstep
