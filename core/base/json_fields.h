// SPDX-License-Identifier: Apache-2.0
// Access to fields of a JSON object that may be absent or have a different type. External input is never
// trusted, and no function throws. A value that is not an object has no fields. Json preserves the order of
// keys, because people read the files. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/result.h"

namespace lockstep {

using Json = nlohmann::ordered_json;

// Parses text as any JSON value. Returns a discarded value, which is neither an object nor any other type, if
// the text is malformed or not UTF-8.
Json jsonFrom(std::string_view text);

// Parses text as a JSON object. Otherwise returns corrupt with "WHAT is not a JSON object"; the message never
// includes any part of the text.
Result<Json> objectFromJson(std::string_view text, std::string_view what);

// Lenient access, for optional fields: a default replaces a value that is absent or has a different type. The
// comment after each function gives the default.
std::string textAt(const Json& object, const char* key); // empty
bool isTextAt(const Json& object, const char* key);
bool boolAt(const Json& object, const char* key); // false
// Default: nullopt, also for integers that do not fit.
std::optional<int64_t> numberAt(const Json& object, const char* key);
uint64_t countAt(const Json& object, const char* key); // 0, also if the number is negative
// `absent`; any JSON number is accepted
double realAt(const Json& object, const char* key, double absent = 0);
const Json& listAt(const Json& object, const char* key);   // an empty list
const Json& objectAt(const Json& object, const char* key); // an empty object

// Returns the value if it is an integer that fits an int64_t; otherwise nullopt.
std::optional<int64_t> integerOf(const Json& value);

// Strict access. Returns false if the key is absent or null, and corrupt ("KEY must be a whole number") if
// the value has a different type.
Result<bool> readField(const Json& object, const char* key, std::string& target);
Result<bool> readField(const Json& object, const char* key, int64_t& target);
Result<bool> readField(const Json& object, const char* key, bool& target);
Result<bool> readField(const Json& object, const char* key, std::vector<std::string>& target);
tl::unexpected<Error> fieldTypeError(std::string_view key, std::string_view mustBe);

template<class T>
Result<bool> readField(const Json& object, const char* key, std::optional<T>& target)
{
    T value{};
    const bool present = LOCKSTEP_TRY(readField(object, key, value));
    if (present) target = std::move(value);
    return present;
}

// Reads a list of objects. Calls readItem(object, item), which returns a Status, for each object.
template<class T, class ReadItem>
Result<bool> readList(const Json& object, const char* key, std::vector<T>& target, ReadItem readItem)
{
    const auto found = object.find(key);
    if (found == object.end() || found->is_null()) return false;
    if (!found->is_array()) return fieldTypeError(key, "a list");
    for (const Json& item : *found) {
        if (!item.is_object()) return fieldTypeError(key, "a list of objects");
        const Status done = readItem(item, target.emplace_back());
        if (!done) return tl::make_unexpected(withContext(done.error(), key));
    }
    return true;
}

// Returns the value on one line, for logs and one-line messages. Invalid UTF-8 is replaced. `asAscii` escapes
// all characters beyond ASCII.
std::string jsonLine(const Json& value, bool asAscii = false);
// Returns the value indented over several lines, for files that people read. Ends with a line break.
std::string indentedJson(const Json& value);

} // namespace lockstep

// Instantiated once, in json_fields.cpp, because it takes seconds to compile.
extern template class nlohmann::basic_json<nlohmann::ordered_map>;
