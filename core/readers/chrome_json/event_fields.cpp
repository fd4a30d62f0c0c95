// SPDX-License-Identifier: Apache-2.0
#include "core/readers/chrome_json/event_fields.h"

#include <charconv>
#include <cstring>

#include "core/base/text.h"
#include "core/readers/chrome_json/event_category.h"
#include "core/readers/chrome_json/event_heads.h"

namespace lockstep {

namespace od = simdjson::ondemand;

namespace {

// key points behind the opening quote and is followed by at least 64 readable bytes.
template<size_t N>
bool is(const char* key, const char (&name)[N])
{
    return std::memcmp(key, name, N - 1) == 0 && key[N - 1] == '"';
}

std::string_view withoutTrailingBlanks(std::string_view token)
{
    while (!token.empty() &&
           (token.back() == ' ' || token.back() == '\n' || token.back() == '\r' || token.back() == '\t')) {
        token.remove_suffix(1);
    }
    return token;
}

std::optional<uint64_t> unsignedOf(std::string_view token)
{
    const std::string_view text = scalarText(token);
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size()) return value;
    const auto number = parseDouble(text);
    if (!number || *number < 0 || *number > 1e18) return std::nullopt;
    return static_cast<uint64_t>(*number);
}

std::optional<int64_t> signedOf(std::string_view token)
{
    const std::string_view text = scalarText(token);
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size()) return value;
    const auto number = parseDouble(text);
    if (!number || *number < -1e18 || *number > 1e18) return std::nullopt;
    return static_cast<int64_t>(*number);
}

ActorText actorOf(std::string_view token)
{
    ActorText actor;
    const std::string_view text = scalarText(token);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), actor.number);
    if (error != std::errc() || end != text.data() + text.size()) {
        actor.number = 0;
        actor.text = text;
        actor.isText = true;
    }
    return actor;
}

bool isNotFinite(std::string_view token)
{
    if (token.empty()) return false;
    const char second = token.size() > 1 ? token[1] : '\0';
    return token[0] == 'N' || token[0] == 'I' || token[0] == 'i' || (token[0] == 'n' && second == 'a') ||
           (token[0] == '-' && (second == 'i' || second == 'I' || second == 'n' || second == 'N'));
}

bool isTrue(std::string_view token)
{
    const std::string_view text = scalarText(token);
    return text == "true" || text == "1";
}

template<class T, class Number>
void take(const std::optional<Number>& from, T& to, bool& has)
{
    if (!from) return;
    to = static_cast<T>(*from);
    has = true;
}

void readNamed(const char* key, std::string_view token, EventArguments& args)
{
    bool ignored = false;
    switch (key[0]) {
    case 'c':
        if (is(key, "correlation")) args.correlation = unsignedOf(token).value_or(0);
        if (is(key, "connection_id")) take(unsignedOf(token), args.connection, ignored);
        if (is(key, "count")) take(unsignedOf(token), args.elements, ignored);
        if (is(key, "context")) take(signedOf(token), args.context, ignored);
        break;
    case 's':
        if (is(key, "stream")) take(signedOf(token), args.stream, args.hasStream);
        break;
    case 'd':
        if (is(key, "device")) take(signedOf(token), args.device, args.hasDevice);
        if (is(key, "data_type")) args.dataType = scalarText(token);
        break;
    case 'l':
        if (is(key, "level")) args.level = scalarText(token);
        break;
    case 'E':
        if (is(key, "External id")) args.externalId = token;
        break;
    case 'b':
        if (is(key, "bytes")) take(unsignedOf(token), args.size_bytes, args.hasSize);
        break;
    case 'D':
        if (is(key, "Device Type")) take(signedOf(token), args.deviceType, ignored);
        if (is(key, "Device Id")) take(signedOf(token), args.deviceId, args.hasDeviceId);
        break;
    case 'T':
        if (is(key, "Task Type")) args.taskType = scalarText(token);
        if (is(key, "Total Allocated")) take(signedOf(token), args.allocated_bytes, args.hasAllocated);
        if (is(key, "Total Reserved")) take(signedOf(token), args.reserved_bytes, args.hasReserved);
        break;
    default:
        break;
    }
}

bool hasList(char phase)
{
    return phase == 'C' || phase == 'M';
}

} // namespace

std::string_view scalarText(std::string_view token)
{
    token = withoutTrailingBlanks(token);
    if (token.size() >= 2 && token.front() == '"' && token.back() == '"')
        return token.substr(1, token.size() - 2);
    return token;
}

std::optional<int64_t> nsFromStamp(std::string_view text)
{
    uint64_t value = 0;
    size_t at = 0;
    for (; at < text.size() && at < 16 && text[at] >= '0' && text[at] <= '9'; ++at) {
        value = value * 10 + static_cast<uint64_t>(text[at] - '0');
    }
    const size_t decimals = at < text.size() && text[at] == '.' ? text.size() - at - 1 : 0;
    if (at == 0 || decimals > 3 || (at < text.size() && decimals == 0)) return nsFromMicrosecondText(text);
    uint64_t fraction = 0;
    for (size_t i = 0; i < 3; ++i) {
        const char c = i < decimals ? text[at + 1 + i] : '0';
        if (c < '0' || c > '9') return nsFromMicrosecondText(text);
        fraction = fraction * 10 + static_cast<uint64_t>(c - '0');
    }
    const uint64_t ns = value * 1000 + fraction; // at most 10^19
    if (ns > static_cast<uint64_t>(kAllTime.end.ns)) return std::nullopt;
    return static_cast<int64_t>(ns);
}

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
    if (key[0] == 'a' && is(key, "args")) return readArguments(value, event, notes);
    const std::string_view token = withoutTrailingBlanks(value.raw_json_token());
    if (token.empty()) return false;
    switch (key[0]) {
    case 'p':
        if (is(key, "ph")) event.phase = token.size() > 2 ? token[1] : '?';
        if (is(key, "pid")) event.pid = actorOf(token);
        break;
    case 'c':
        if (is(key, "cat")) event.category = textOf(value, token, event, notes);
        break;
    case 'n':
        if (is(key, "name")) event.name = textOf(value, token, event, notes);
        break;
    case 't':
        if (is(key, "tid")) event.tid = actorOf(token);
        if (is(key, "ts")) {
            take(nsFromStamp(scalarText(token)), event.start_ns, event.hasStart);
            event.badStart = !event.hasStart;
        }
        break;
    case 'd':
        if (is(key, "dur")) {
            take(nsFromStamp(scalarText(token)), event.duration_ns, event.hasDuration);
            event.badDuration = !event.hasDuration;
        }
        break;
    case 'i':
        if (is(key, "id")) event.id = scalarText(token);
        if (is(key, "id2")) {
            std::string_view raw;
            if (simdjson::to_json_string(value).get(raw) != simdjson::SUCCESS) return false;
            event.id = withoutTrailingBlanks(raw);
        }
        break;
    case 's':
        if (is(key, "scope")) event.scope = scalarText(token);
        break;
    case 'b':
        if (is(key, "bp")) event.bindsEnclosing = scalarText(token) == "e";
        if (is(key, "bind_id")) event.bindId = scalarText(token);
        break;
    case 'f':
        if (is(key, "flow_in")) event.flowsIn = isTrue(token);
        if (is(key, "flow_out")) event.flowsOut = isTrue(token);
        break;
    default:
        break;
    }
    return true;
}

// Unescaped only where there is a backslash; an escape that JSON does not know keeps the text as written.
std::string_view EventFields::textOf(Value& value, std::string_view token, const RawEvent& event,
                                     ImportNotes& notes)
{
    const std::string_view inner = scalarText(token);
    if (token[0] != '"' || std::memchr(inner.data(), '\\', inner.size()) == nullptr) return inner;
    std::string_view unescaped;
    if (value.get_string().get(unescaped) == simdjson::SUCCESS) return unescaped;
    notes.add("text.escape", NoteSeverity::warning, "a text holds an unknown escape; it is kept as written",
              "byte " + std::to_string(event.offset));
    return inner;
}

bool EventFields::readArguments(Value& value, RawEvent& event, ImportNotes& notes)
{
    od::json_type type;
    if (value.type().get(type) != simdjson::SUCCESS || type != od::json_type::object) return true;
    const bool isSkipped =
        event.phase == 'X' && !readsArguments(event.category) && event.name != kRecordOfComms;
    if (isSkipped && !m_looksIntoSkipped) return true;
    od::object object;
    if (value.get_object().get(object) != simdjson::SUCCESS) return false;
    if (isSkipped) {
        std::string_view skipped;
        return object.raw_json().get(skipped) == simdjson::SUCCESS &&
               nextEventHead(skipped, 1) == std::string_view::npos;
    }
    if (event.phase != 0 && !hasList(event.phase)) return readNamedArguments(object, event, notes);
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
            notes.add("value.not_finite", NoteSeverity::warning,
                      "a bare NaN or Infinity is taken as no value", "byte " + std::to_string(event.offset));
            continue;
        }
        readNamed(key.raw(), token, event.args);
        takeCollective(key.raw(), token, value, event);
    }
    return true;
}

// Nearly all arguments of a GPU row begin with a small letter, nearly all of a communication's with a
// capital.
void EventFields::takeCollective(const char* key, std::string_view token, Value& value, RawEvent& event)
{
    if ((key[0] < 'A' || key[0] > 'Z') && !is(key, "dtype")) return;
    constexpr size_t kLongestKey = 32;
    const void* end = std::memchr(key, '"', kLongestKey);
    if (end == nullptr) return;
    std::string_view text = scalarText(token);
    if (token[0] == '[' && simdjson::to_json_string(value).get(text) != simdjson::SUCCESS) return;
    const std::string_view name(key, static_cast<size_t>(static_cast<const char*>(end) - key));
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
    if (hasList(event.phase)) return readArgumentList(m_deferred, event);
    od::document document;
    od::object object;
    const size_t capacity = m_deferred.size() + simdjson::SIMDJSON_PADDING;
    if (m_nested.iterate(m_deferred.data(), m_deferred.size(), capacity).get(document) != simdjson::SUCCESS)
        return false;
    if (document.get_object().get(object) != simdjson::SUCCESS) return false;
    return readNamedArguments(object, event, notes);
}

} // namespace lockstep
