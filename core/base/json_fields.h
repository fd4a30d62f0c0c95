// Fields of a JSON object that may be absent or of another type: what somebody else wrote is asked for, never
// trusted. Json keeps the order of its keys: people read what is written. What is no object has no field. Any
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace lockstep {

using Json = nlohmann::ordered_json;

// Empty where there is no such text.
inline std::string textAt(const Json& object, const char* key)
{
    if (!object.is_object()) return {};
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

inline bool isTextAt(const Json& object, const char* key)
{
    return object.is_object() && object.contains(key) && object[key].is_string();
}

// A whole number that an int64_t holds; nothing where there is none.
inline std::optional<int64_t> numberAt(const Json& object, const char* key)
{
    if (!object.is_object()) return std::nullopt;
    const auto found = object.find(key);
    if (found == object.end() || !found->is_number_integer()) return std::nullopt;
    if (found->is_number_unsigned() && found->get<uint64_t>() > uint64_t{INT64_MAX}) return std::nullopt;
    return found->get<int64_t>();
}

} // namespace lockstep
