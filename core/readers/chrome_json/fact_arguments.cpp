// SPDX-License-Identifier: Apache-2.0
#include "core/readers/chrome_json/fact_arguments.h"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "core/readers/chrome_json/event_scalars.h"

namespace lockstep {

namespace {

// Reads an integer as written, with or without quotes; nullopt for other numbers.
std::optional<int64_t> wholeOf(std::string_view token)
{
    const std::string_view text = scalarText(token);
    int64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

void setNumber(std::string_view token, RowFact fact, FactList& facts)
{
    facts.set(fact, wholeOf(token));
}

// Reads an array of three integers, which sets three facts. Every character is read only after one that an
// array of integers may have, and such a text ends before the text around it.
void setTriple(const char* at, RowFact first, FactList& facts)
{
    if (*at != '[') return;
    std::array<int64_t, 3> numbers{};
    for (int64_t& number : numbers) {
        ++at; // a bracket or comma
        while (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n')
            ++at;
        if (*at < '0' || *at > '9') return;
        for (int digits = 0; *at >= '0' && *at <= '9'; ++at) {
            if (++digits > 18) return;
            number = number * 10 + (*at - '0');
        }
        while (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n')
            ++at;
        if (*at != ',' && *at != ']') return;
    }
    for (size_t i = 0; i < numbers.size(); ++i)
        facts.set(static_cast<RowFact>(static_cast<size_t>(first) + i), numbers[i]);
}

// Kineto computes this value from timestamps in nanoseconds.
void setBandwidth(std::string_view token, FactList& facts)
{
    const std::string_view text = scalarText(token);
    double rate = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), rate);
    const bool isWhole = failure == std::errc() && end == text.data() + text.size();
    if (isWhole && rate > 0 && rate < 1e9) facts.set(RowFact::bandwidth, std::llround(rate * 1e9));
}

} // namespace

void readFactArgument(const char* key, std::string_view token, FactList& facts)
{
    switch (key[0]) {
    case 'b':
        if (isKey(key, "block")) setTriple(token.data(), RowFact::blockX, facts);
        break;
    case 'c':
        if (isKey(key, "context")) setNumber(token, RowFact::context, facts);
        break;
    case 'g':
        if (isKey(key, "grid")) setTriple(token.data(), RowFact::gridX, facts);
        if (isKey(key, "graph node id")) setNumber(token, RowFact::graphNode, facts);
        break;
    case 'm':
        if (isKey(key, "memory bandwidth (GB/s)")) setBandwidth(token, facts);
        break;
    case 'r':
        if (isKey(key, "registers per thread")) setNumber(token, RowFact::registers, facts);
        break;
    default:
        break;
    }
}

} // namespace lockstep
