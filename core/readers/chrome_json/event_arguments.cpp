// SPDX-License-Identifier: Apache-2.0
#include "core/readers/chrome_json/event_arguments.h"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "core/readers/chrome_json/json_scalars.h"

namespace lockstep {

namespace {

template<class T, class Number>
void setIf(const std::optional<Number>& number, T& member, bool& has)
{
    if (!number) return;
    member = static_cast<T>(*number);
    has = true;
}

template<class T, class Number>
void setIf(const std::optional<Number>& number, T& member)
{
    if (number) member = static_cast<T>(*number);
}

// Reads an array that starts with three integers, which set three facts.
void setTriple(const JsonTokens& tokens, size_t value, RowFact first, FactList& facts)
{
    if (tokens.at(value) != '[') return;
    std::array<int64_t, 3> numbers{};
    for (size_t i = 0; i < numbers.size(); ++i) {
        const size_t element = value + 1 + 2 * i;
        if (!isDigit(tokens.at(element))) return;
        const auto number = integerOf(tokens.text(element));
        if (!number || (i + 1 < numbers.size() && tokens.at(element + 1) != ',')) return;
        numbers[i] = *number;
    }
    for (size_t i = 0; i < numbers.size(); ++i)
        facts.set(static_cast<RowFact>(static_cast<size_t>(first) + i), numbers[i]);
}

// Kineto computes this value from timestamps in nanoseconds.
void setBandwidth(std::string_view text, FactList& facts)
{
    double rate = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), rate);
    const bool isWhole = failure == std::errc() && end == text.data() + text.size();
    if (isWhole && rate > 0 && rate < 1e9) facts.set(RowFact::bandwidth, std::llround(rate * 1e9));
}

void readLowerCase(std::string_view key, std::string_view text, EventArguments& args)
{
    switch (key[0]) {
    case 'b':
        if (key == "bytes") setIf(unsignedOf(text), args.size_bytes, args.hasSize);
        break;
    case 'c':
        if (key == "correlation") args.correlation = unsignedOf(text).value_or(0);
        if (key == "connection_id") setIf(unsignedOf(text), args.connection);
        if (key == "count") setIf(unsignedOf(text), args.elements);
        if (key == "context") {
            args.facts.set(RowFact::context, integerOf(text));
            setIf(signedOf(text), args.context);
        }
        break;
    case 'd':
        if (key == "device") setIf(signedOf(text), args.device, args.hasDevice);
        if (key == "data_type") args.dataType = text;
        break;
    case 'g':
        if (key == "graph node id") args.facts.set(RowFact::graphNode, integerOf(text));
        break;
    case 'l':
        if (key == "level") args.level = text;
        break;
    case 'm':
        if (key == "memory bandwidth (GB/s)") setBandwidth(text, args.facts);
        break;
    case 'r':
        if (key == "registers per thread") args.facts.set(RowFact::registers, integerOf(text));
        break;
    case 's':
        if (key == "stream") setIf(signedOf(text), args.stream, args.hasStream);
        break;
    default:
        break;
    }
}

void readUpperCase(std::string_view key, std::string_view text, EventArguments& args)
{
    switch (key[0]) {
    case 'A':
        if (key == "Addr") setIf(unsignedOf(text), args.address, args.hasAddress);
        break;
    case 'B':
        if (key == "Bytes") setIf(signedOf(text), args.change_bytes, args.hasChange);
        break;
    case 'D':
        if (key == "Device Type") setIf(signedOf(text), args.deviceType);
        if (key == "Device Id") setIf(signedOf(text), args.deviceId, args.hasDeviceId);
        break;
    case 'E':
        if (key == "External id") args.externalId = text;
        if (key == "Ev Idx") setIf(unsignedOf(text), args.eventIndex);
        break;
    case 'T':
        if (key == "Task Type") args.taskType = text;
        if (key == "Total Allocated") setIf(signedOf(text), args.allocated_bytes, args.hasAllocated);
        if (key == "Total Reserved") setIf(signedOf(text), args.reserved_bytes, args.hasReserved);
        break;
    default:
        break;
    }
}

} // namespace

void readNamedArgument(std::string_view key, const JsonTokens& tokens, size_t value, EventArguments& args)
{
    if (key.empty()) return;
    if (tokens.isContainer(value)) {
        if (key == "grid") setTriple(tokens, value, RowFact::gridX, args.facts);
        if (key == "block") setTriple(tokens, value, RowFact::blockX, args.facts);
    } else if (key[0] >= 'a') {
        readLowerCase(key, scalarText(tokens.text(value)), args);
    } else {
        readUpperCase(key, scalarText(tokens.text(value)), args);
    }
}

} // namespace lockstep
