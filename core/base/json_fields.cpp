// SPDX-License-Identifier: Apache-2.0
#include "core/base/json_fields.h"

#include <algorithm>

#include "core/base/peer_json.h"

namespace lockstep {

namespace {

// Returns the field, or nullptr.
const Json* fieldAt(const Json& object, const char* key)
{
    if (!object.is_object()) return nullptr;
    const auto found = object.find(key);
    return found != object.end() ? &*found : nullptr;
}

// Returns the field if it exists and is not null, otherwise nullptr.
const Json* presentField(const Json& object, const char* key)
{
    const Json* const field = fieldAt(object, key);
    return field != nullptr && !field->is_null() ? field : nullptr;
}

// Counts what a parser would build, without building it. Invalid JSON may pass; the parser rejects it later.
bool isWithin(std::string_view text, const JsonLimits& limits)
{
    if (text.size() > limits.bytes) return false;
    std::vector<size_t> open; // number of keys in each open object or list
    size_t keys = 0, values = 0;
    for (size_t i = 0; i < text.size(); ++i) {
        switch (text[i]) {
        case '"':
            for (++i; i < text.size() && text[i] != '"'; ++i) {
                if (text[i] == '\\') ++i;
            }
            break;
        case '{':
        case '[':
            open.push_back(0);
            if (open.size() > limits.depth || ++values > limits.values) return false;
            break;
        case '}':
        case ']':
            if (!open.empty()) open.pop_back();
            break;
        case ':':
            if (++keys > limits.keys || (!open.empty() && ++open.back() > limits.keysPerObject)) return false;
            break;
        case ',':
            if (++values > limits.values) return false;
            break;
        default:
            break;
        }
    }
    return true;
}

} // namespace

Json jsonFromPeer(std::string_view text, const JsonLimits& limits)
{
    if (!isWithin(text, limits)) return Json(Json::value_t::discarded);
    return jsonFrom(text);
}

Json jsonFrom(std::string_view text)
{
    return Json::parse(text, nullptr, false);
}

Result<Json> objectFromJson(std::string_view text, std::string_view what)
{
    Json object = jsonFrom(text);
    if (!object.is_object())
        return makeError(ErrorKind::corrupt, std::string(what) + " is not a JSON object");
    return object;
}

std::string textAt(const Json& object, const char* key)
{
    const Json* const field = fieldAt(object, key);
    return field != nullptr && field->is_string() ? field->get<std::string>() : std::string();
}

bool isTextAt(const Json& object, const char* key)
{
    const Json* const field = fieldAt(object, key);
    return field != nullptr && field->is_string();
}

bool boolAt(const Json& object, const char* key)
{
    const Json* const field = fieldAt(object, key);
    return field != nullptr && field->is_boolean() && field->get<bool>();
}

std::optional<int64_t> integerOf(const Json& value)
{
    if (!value.is_number_integer()) return std::nullopt;
    if (value.is_number_unsigned() && value.get<uint64_t>() > uint64_t{INT64_MAX}) return std::nullopt;
    return value.get<int64_t>();
}

std::optional<int64_t> numberAt(const Json& object, const char* key)
{
    const Json* const field = fieldAt(object, key);
    return field != nullptr ? integerOf(*field) : std::nullopt;
}

uint64_t countAt(const Json& object, const char* key)
{
    return static_cast<uint64_t>(std::max<int64_t>(0, numberAt(object, key).value_or(0)));
}

double realAt(const Json& object, const char* key, double absent)
{
    const Json* const field = fieldAt(object, key);
    return field != nullptr && field->is_number() ? field->get<double>() : absent;
}

const Json& listAt(const Json& object, const char* key)
{
    static const Json kNone = Json::array();
    const Json* const field = fieldAt(object, key);
    return field != nullptr && field->is_array() ? *field : kNone;
}

const Json& objectAt(const Json& object, const char* key)
{
    static const Json kNone = Json::object();
    const Json* const field = fieldAt(object, key);
    return field != nullptr && field->is_object() ? *field : kNone;
}

tl::unexpected<Error> fieldTypeError(std::string_view key, std::string_view mustBe)
{
    return makeError(ErrorKind::corrupt, std::string(key) + " must be " + std::string(mustBe));
}

Result<bool> readField(const Json& object, const char* key, std::string& target)
{
    const Json* const field = presentField(object, key);
    if (field == nullptr) return false;
    if (!field->is_string()) return fieldTypeError(key, "text");
    target = field->get<std::string>();
    return true;
}

Result<bool> readField(const Json& object, const char* key, int64_t& target)
{
    const Json* const field = presentField(object, key);
    if (field == nullptr) return false;
    const auto number = integerOf(*field);
    if (!number) return fieldTypeError(key, "a whole number");
    target = *number;
    return true;
}

Result<bool> readField(const Json& object, const char* key, bool& target)
{
    const Json* const field = presentField(object, key);
    if (field == nullptr) return false;
    if (!field->is_boolean()) return fieldTypeError(key, "true or false");
    target = field->get<bool>();
    return true;
}

Result<bool> readField(const Json& object, const char* key, std::vector<std::string>& target)
{
    const Json* const field = presentField(object, key);
    if (field == nullptr) return false;
    if (!field->is_array()) return fieldTypeError(key, "a list of strings");
    for (const Json& item : *field) {
        if (!item.is_string()) return fieldTypeError(key, "a list of strings");
        target.push_back(item.get<std::string>());
    }
    return true;
}

std::string jsonLine(const Json& value, bool asAscii)
{
    return value.dump(-1, ' ', asAscii, Json::error_handler_t::replace);
}

std::string indentedJson(const Json& value)
{
    return value.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace lockstep

template class nlohmann::basic_json<nlohmann::ordered_map>;
