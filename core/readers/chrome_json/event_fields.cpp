// SPDX-License-Identifier: Apache-2.0
#include "core/readers/chrome_json/event_fields.h"

#include <cstring>

#include "core/readers/chrome_json/event_category.h"
#include "core/readers/chrome_json/event_heads.h"
#include "core/readers/chrome_json/event_scalars.h"

namespace lockstep {

namespace od = simdjson::ondemand;

bool EventFields::read(od::object& object, RawEvent& event, ImportNotes& notes)
{
    m_deferred = {};
    if (!m_collective.isEmpty()) m_collective.clear();
    for (auto field : object) {
        od::raw_json_string key;
        if (field.key().get(key) != simdjson::SUCCESS) return false;
        Value value;
        if (field.value().get(value) != simdjson::SUCCESS) return false;
        if (!readField(key.raw(), value, event, notes)) return false;
    }
    return m_deferred.empty() || readDeferred(event, notes);
}

bool EventFields::readField(const char* key, Value& value, RawEvent& event, ImportNotes& notes)
{
    if (isKey(key, "args")) return readArguments(value, event, notes);
    const std::string_view token = withoutTrailingBlanks(value.raw_json_token());
    if (token.empty()) return false;
    if (isKey(key, "cat")) {
        event.category = textOf(value, token, event, notes);
    } else if (isKey(key, "name")) {
        event.name = textOf(value, token, event, notes);
    } else if (isKey(key, "id2")) {
        std::string_view raw;
        if (simdjson::to_json_string(value).get(raw) != simdjson::SUCCESS) return false;
        event.id = withoutTrailingBlanks(raw);
    } else {
        readScalarField(scalarFieldOf(key), token, event);
    }
    return true;
}

// Unescapes a string only if it contains a backslash. A string with an invalid escape sequence is kept as
// written.
std::string_view EventFields::textOf(Value& value, std::string_view token, const RawEvent& event,
                                     ImportNotes& notes)
{
    const std::string_view inner = scalarText(token);
    if (token[0] != '"' || std::memchr(inner.data(), '\\', inner.size()) == nullptr) return inner;
    std::string_view unescaped;
    if (value.get_string().get(unescaped) == simdjson::SUCCESS) return unescaped;
    notes.add("text.escape", NoteSeverity::warning,
              "strings with an unknown escape sequence: shown as written",
              "byte " + std::to_string(event.offset));
    return inner;
}

bool EventFields::readArguments(Value& value, RawEvent& event, ImportNotes& notes)
{
    od::json_type type;
    if (value.type().get(type) != simdjson::SUCCESS || type != od::json_type::object) return true;
    const bool isSkipped =
        event.phase == 'X' && !readsArguments(event.category) && event.name != kRecordOfComms;
    if (isSkipped && !m_scansSkipped) return true;
    od::object object;
    if (value.get_object().get(object) != simdjson::SUCCESS) return false;
    if (isSkipped) {
        std::string_view skipped;
        return object.raw_json().get(skipped) == simdjson::SUCCESS &&
               nextEventHead(skipped, 1) == std::string_view::npos;
    }
    if (event.phase != 0 && !hasArgumentList(event)) return readNamedArguments(object, event, notes);
    std::string_view raw;
    if (object.raw_json().get(raw) != simdjson::SUCCESS) return false;
    if (event.phase != 0) return readArgumentList(raw, event);
    m_deferred = raw;
    return true;
}

bool EventFields::readNamedArguments(od::object& object, RawEvent& event, ImportNotes& notes)
{
    for (auto field : object) {
        od::raw_json_string key;
        if (field.key().get(key) != simdjson::SUCCESS) return false;
        Value value;
        if (field.value().get(value) != simdjson::SUCCESS) return false;
        const std::string_view token = value.raw_json_token();
        if (isNotFinite(token)) {
            notes.add("value.not_finite", NoteSeverity::warning, "bare NaN or Infinity: treated as no value",
                      "byte " + std::to_string(event.offset));
            continue;
        }
        readNamedArgument(key.raw(), token, event.args);
        addCollectiveArgument(key.raw(), token, value, event);
    }
    return true;
}

void EventFields::addCollectiveArgument(const char* key, std::string_view token, Value& value,
                                        RawEvent& event)
{
    const std::string_view name = collectiveKey(key);
    if (name.empty()) return;
    std::string_view text = scalarText(token);
    if (token[0] == '[' && simdjson::to_json_string(value).get(text) != simdjson::SUCCESS) return;
    if (m_collective.take(name, text)) event.collective = &m_collective;
}

bool EventFields::readArgumentList(std::string_view text, RawEvent& event)
{
    m_list.clear();
    od::document document;
    od::object object;
    const size_t capacity = text.size() + simdjson::SIMDJSON_PADDING;
    if (m_nested.iterate(text.data(), text.size(), capacity).get(document) != simdjson::SUCCESS) return false;
    if (document.get_object().get(object) != simdjson::SUCCESS) return false;
    for (auto field : object) {
        std::string_view key;
        if (field.unescaped_key().get(key) != simdjson::SUCCESS) return false;
        Value value;
        if (field.value().get(value) != simdjson::SUCCESS) return false;
        const std::string_view token = withoutTrailingBlanks(value.raw_json_token());
        const bool isText = !token.empty() && token[0] == '"';
        std::string_view content = scalarText(token);
        if (isText && content.find('\\') != std::string_view::npos) {
            if (value.get_string().get(content) != simdjson::SUCCESS) content = scalarText(token);
        }
        m_list.push_back({key, content, isText});
    }
    event.list = m_list;
    return true;
}

bool EventFields::readDeferred(RawEvent& event, ImportNotes& notes)
{
    if (hasArgumentList(event)) return readArgumentList(m_deferred, event);
    od::document document;
    od::object object;
    const size_t capacity = m_deferred.size() + simdjson::SIMDJSON_PADDING;
    if (m_nested.iterate(m_deferred.data(), m_deferred.size(), capacity).get(document) != simdjson::SUCCESS)
        return false;
    if (document.get_object().get(object) != simdjson::SUCCESS) return false;
    return readNamedArguments(object, event, notes);
}

} // namespace lockstep
