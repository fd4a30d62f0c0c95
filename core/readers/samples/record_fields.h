// SPDX-License-Identifier: Apache-2.0
// Reads the fields of a record while simdjson walks over it. Values of another type than expected are treated
// as absent, because files come from many versions. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <simdjson.h>

#include "core/base/text.h"

namespace lockstep::record {

using Object = simdjson::ondemand::object;
using Value = simdjson::ondemand::value;

inline std::optional<std::string_view> text(Value value)
{
    std::string_view found;
    if (value.get_string().get(found) == simdjson::SUCCESS) return found;
    return std::nullopt;
}

// Returns an integer, which may be written as text.
inline std::optional<int64_t> integer(Value value)
{
    int64_t number = 0;
    if (value.get_int64().get(number) == simdjson::SUCCESS) return number;
    if (const auto found = text(value)) return parseInt(*found);
    return std::nullopt;
}

inline std::optional<double> number(Value value)
{
    double found = 0;
    if (value.get_double().get(found) == simdjson::SUCCESS) return found;
    return std::nullopt;
}

// Returns a time or duration in seconds as ns, exactly as written.
inline std::optional<int64_t> seconds(Value value)
{
    std::string_view token = value.raw_json_token();
    while (!token.empty() && static_cast<unsigned char>(token.back()) <= ' ')
        token.remove_suffix(1);
    return nsFromSecondText(token);
}

inline std::optional<Object> object(Value value)
{
    Object found;
    if (value.get_object().get(found) == simdjson::SUCCESS) return found;
    return std::nullopt;
}

// Calls visit(key, value) for each field until it returns false. Returns false for that, and for damage.
template<class Visit>
bool eachField(Object object, Visit&& visit)
{
    for (auto field : object) {
        std::string_view key;
        Value value;
        if (field.unescaped_key().get(key) != simdjson::SUCCESS ||
            field.value().get(value) != simdjson::SUCCESS)
            return false;
        if (!visit(key, value)) return false;
    }
    return true;
}

// Calls visit(object, position) for each object of a list; the position is that in the parsed text. A value
// that is not a list counts as an empty list.
template<class Visit>
bool eachObject(Value value, Visit&& visit)
{
    simdjson::ondemand::array list;
    if (value.get_array().get(list) != simdjson::SUCCESS) return true;
    for (auto element : list) {
        Value of;
        Object found;
        if (element.get(of) != simdjson::SUCCESS) return false;
        const char* const at = of.raw_json_token().data();
        if (of.get_object().get(found) != simdjson::SUCCESS || !visit(found, at)) return false;
    }
    return true;
}

} // namespace lockstep::record
