// SPDX-License-Identifier: Apache-2.0
// Converts the scalars of an event: the text of one field or argument to its member of a RawEvent. Shared by
// both event readers (EventFields, TokenFields), so that a field is read the same way in both. Keys are
// pointers to the first character after the opening quote; keys and tokens are followed by at least 64
// readable bytes. Pure functions, any thread.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "core/readers/chrome_json/raw_event.h"

namespace lockstep {

// Returns true if the key is `name`, written without escape sequences.
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

// Returns a JSON scalar without quotes and without trailing blanks.
inline std::string_view scalarText(std::string_view token)
{
    token = withoutTrailingBlanks(token);
    if (token.size() >= 2 && token.front() == '"' && token.back() == '"')
        return token.substr(1, token.size() - 2);
    return token;
}

// Converts a timestamp or duration in microseconds, as written in ts and dur. Equivalent to
// nsFromMicrosecondText(), with a fast path. Does not read beyond the text.
std::optional<int64_t> nsFromStamp(std::string_view text);

// Fields whose value is one token without escape sequences to decode: all fields except args, cat, name and
// id2.
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

// `token` is the value of the field without trailing blanks; it must not be empty.
void readScalarField(ScalarField field, std::string_view token, RawEvent& event);

// Reads one of the entries of args that rows use. `token` is as written, up to the next token.
void readNamedArgument(const char* key, std::string_view token, EventArguments& args);

// Returns the key of an argument that may describe a communication; empty for all other arguments.
std::string_view collectiveKey(const char* key);

// Returns true for NaN and infinity, which Python writes but JSON does not allow.
inline bool isNotFinite(std::string_view token)
{
    if (token.empty()) return false;
    const char second = token.size() > 1 ? token[1] : '\0';
    return token[0] == 'N' || token[0] == 'I' || token[0] == 'i' || (token[0] == 'n' && second == 'a') ||
           (token[0] == '-' && (second == 'i' || second == 'I' || second == 'n' || second == 'N'));
}

// Returns true if all args of an event must be read: for counters, metadata, and collectives of NCCL's
// profiler plugin.
inline bool hasArgumentList(const RawEvent& event)
{
    if (event.phase == 'b')
        return event.category == "COLL" || event.category == "P2P" || event.category == "GPU";
    return event.phase == 'C' || event.phase == 'M';
}

} // namespace lockstep
