// SPDX-License-Identifier: Apache-2.0
// What the scalars of an event mean: the text of one field or argument -> its place in a RawEvent. The two
// ways to walk an event (EventFields, TokenFields) share it, so that a field reads the same in both. Keys are
// pointers behind their opening quote; keys and tokens are followed by at least 64 readable bytes. Pure
// functions, any thread.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "core/readers/chrome_json/raw_event.h"

namespace lockstep {

// True when the key is name, written without escapes.
template<size_t N>
inline bool isKey(const char* key, const char (&name)[N])
{
    return std::memcmp(key, name, N - 1) == 0 && key[N - 1] == '"';
}

inline std::string_view withoutTrailingBlanks(std::string_view token)
{
    while (!token.empty() &&
           (token.back() == ' ' || token.back() == '\n' || token.back() == '\r' || token.back() == '\t')) {
        token.remove_suffix(1);
    }
    return token;
}

// A JSON scalar without its quotes and the blanks behind it.
inline std::string_view scalarText(std::string_view token)
{
    token = withoutTrailingBlanks(token);
    if (token.size() >= 2 && token.front() == '"' && token.back() == '"')
        return token.substr(1, token.size() - 2);
    return token;
}

// A stamp or length in microseconds, as ts and dur are written: nsFromMicrosecondText with a fast path. Reads
// nothing behind the text.
std::optional<int64_t> nsFromStamp(std::string_view text);

// The fields whose value is one token and no text to unescape: all but args, cat, name and id2.
enum class ScalarField : uint8_t {
    phase,
    process,
    thread,
    start,
    duration,
    id,
    scope,
    bindsEnclosing,
    bindId,
    flowsIn,
    flowsOut,
    none
};

ScalarField scalarFieldOf(const char* key);

// token: the field's value without trailing blanks, not empty.
void readScalarField(ScalarField field, std::string_view token, RawEvent& event);

// One entry of args that rows are made of. token: as written, up to the next token.
void readNamedArgument(const char* key, std::string_view token, EventArguments& args);

// The key of an argument that may state something of a communication; empty for those that never do.
std::string_view collectiveKey(const char* key);

// NaN and infinity, which Python writes and JSON does not know.
inline bool isNotFinite(std::string_view token)
{
    if (token.empty()) return false;
    const char second = token.size() > 1 ? token[1] : '\0';
    return token[0] == 'N' || token[0] == 'I' || token[0] == 'i' || (token[0] == 'n' && second == 'a') ||
           (token[0] == '-' && (second == 'i' || second == 'I' || second == 'n' || second == 'N'));
}

// Returns whether all args of an event are read: for counters, metadata, and collectives of NCCL's profiler
// plugin.
inline bool hasArgumentList(const RawEvent& event)
{
    if (event.phase == 'b')
        return event.category == "COLL" || event.category == "P2P" || event.category == "GPU";
    return event.phase == 'C' || event.phase == 'M';
}

} // namespace lockstep
