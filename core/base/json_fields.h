// SPDX-License-Identifier: Apache-2.0
// Fields of a JSON object that may be absent or of another type: what somebody else wrote is asked for, never
// trusted, and nothing here throws. What is no object has no field. Json keeps the order of its keys: people
// read what is written. Any thread.
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

// The object that a text is. corrupt, "WHAT is no JSON object", where it is none; the text is in no message.
Result<Json> objectFromJson(std::string_view text, std::string_view what);

// For fields without which the rest still says something: a default stands for what is not there or is of
// another type.
std::string textAt(const Json& object, const char* key); // empty
bool isTextAt(const Json& object, const char* key);
bool truthAt(const Json& object, const char* key);                     // false
std::optional<int64_t> numberAt(const Json& object, const char* key);  // a whole number that fits
uint64_t countAt(const Json& object, const char* key);                 // 0, also for numbers below it
double realAt(const Json& object, const char* key, double absent = 0); // any number
const Json& listAt(const Json& object, const char* key);               // an empty list
const Json& objectAt(const Json& object, const char* key);             // an empty object

// The number a value is, where it is a whole one that an int64_t holds.
std::optional<int64_t> wholeNumber(const Json& value);

// For fields that must be right where they are there: false where the key is absent or null, corrupt, "KEY
// must be a whole number", where it holds something else.
Result<bool> readField(const Json& object, const char* key, std::string& target);
Result<bool> readField(const Json& object, const char* key, int64_t& target);
Result<bool> readField(const Json& object, const char* key, bool& target);
Result<bool> readField(const Json& object, const char* key, std::vector<std::string>& target);
tl::unexpected<Error> wrongField(std::string_view key, std::string_view mustBe);

template<class T>
Result<bool> readField(const Json& object, const char* key, std::optional<T>& target)
{
    T value{};
    const bool present = LOCKSTEP_TRY(readField(object, key, value));
    if (present) target = std::move(value);
    return present;
}

// A list of objects; each is read by readItem(object, item), which returns a Status.
template<class T, class ReadItem>
Result<bool> readList(const Json& object, const char* key, std::vector<T>& target, ReadItem readItem)
{
    const auto found = object.find(key);
    if (found == object.end() || found->is_null()) return false;
    if (!found->is_array()) return wrongField(key, "a list");
    for (const Json& item : *found) {
        if (!item.is_object()) return wrongField(key, "a list of objects");
        const Status done = readItem(item, target.emplace_back());
        if (!done) return tl::make_unexpected(withContext(done.error(), key));
    }
    return true;
}

// On one line, for logs and messages of one line each. Bytes that are no UTF-8 are replaced. asAscii escapes
// all that is beyond ASCII.
std::string jsonLine(const Json& value, bool asAscii = false);
// On many lines, for files that people read, with a line end at the end.
std::string jsonPage(const Json& value);

} // namespace lockstep
