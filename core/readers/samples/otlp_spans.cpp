// SPDX-License-Identifier: Apache-2.0
#include "core/readers/samples/otlp_spans.h"

#include <cctype>
#include <unordered_map>

#include "core/base/text.h"
#include "core/readers/samples/record_fields.h"

namespace lockstep {

using record::eachField;
using record::eachObject;

namespace {

// Returns a hash of an id in hex, in any case; 0 for none. A 64-bit id is its own hash.
uint64_t hashOfHex(std::string_view hex)
{
    uint64_t hash = 0;
    bool isAny = false;
    for (const char c : hex) {
        const auto digit = static_cast<unsigned char>(
            std::isdigit(static_cast<unsigned char>(c)) ? c - '0' : (c | 32) - 'a' + 10);
        // The upper half of a longer id is multiplied by a prime instead of being shifted out.
        hash = (hash >> 60) != 0 ? hash * 0x100000001B3u + digit : hash * 16 + digit;
        isAny = isAny || digit != 0;
    }
    return isAny && hash == 0 ? 1 : hash;
}

OtlpKey keyOf(std::string_view name)
{
#define LOCKSTEP_ENTRY(key, text) {text, OtlpKey::key},
    static const std::unordered_map<std::string_view, OtlpKey> kKeys{LOCKSTEP_OTLP_KEYS(LOCKSTEP_ENTRY)};
#undef LOCKSTEP_ENTRY
    const auto found = kKeys.find(name);
    return found != kKeys.end() ? found->second : OtlpKey::none;
}

} // namespace

const OtlpAttribute* attributeOf(std::span<const OtlpAttribute> attributes, OtlpKey key)
{
    for (const OtlpAttribute& attribute : attributes) {
        if (attribute.key == key) return &attribute;
    }
    return nullptr;
}

std::span<const OtlpAttribute> OtlpSpans::resourceOf(const OtlpSpan& span) const
{
    const Attributes& at = m_resources[span.resource];
    return std::span(m_attributes).subspan(at.first, at.count);
}

bool OtlpSpans::read(Object request, const JsonRecords& records)
{
    return eachField(request, [&](std::string_view key, Value list) {
        if (key != "resourceSpans") return true;
        return eachObject(list, [&](Object resourceSpans, const char*) {
            const auto number = static_cast<uint32_t>(m_resources.size());
            m_resources.emplace_back();
            // The resource may follow its spans.
            return eachField(resourceSpans, [&](std::string_view part, Value value) {
                Object resource;
                if (part == "resource" && value.get_object().get(resource) == simdjson::SUCCESS) {
                    std::vector<OtlpAttribute> attributes;
                    const bool isGood = eachField(resource, [&](std::string_view name, Value attribute) {
                        return name != "attributes" || readAttributes(attribute, attributes);
                    });
                    m_resources[number] = {static_cast<uint32_t>(m_attributes.size()),
                                           static_cast<uint32_t>(attributes.size())};
                    m_attributes.insert(m_attributes.end(), attributes.begin(), attributes.end());
                    return isGood;
                }
                if (part != "scopeSpans" && part != "instrumentationLibrarySpans") return true;
                return eachObject(value,
                                  [&](Object scope, const char*) { return readScope(scope, records); });
            });
        });
    });
}

bool OtlpSpans::readScope(Object scope, const JsonRecords& records)
{
    return eachField(scope, [&](std::string_view key, Value list) {
        return key != "spans" || eachObject(list, [&](Object object, const char* at) {
                   return readSpan(object, records.positionOf(at), records);
               });
    });
}

bool OtlpSpans::readSpan(Object object, uint64_t position, const JsonRecords& records)
{
    OtlpSpan span;
    span.position = position;
    span.resource = static_cast<uint32_t>(m_resources.size() - 1);
    std::vector<OtlpAttribute>& attributes = m_ofSpan;
    attributes.clear();
    std::optional<int64_t> start, end;
    const bool isGood = eachField(object, [&](std::string_view key, Value value) {
        std::string_view text;
        const bool isText = value.get_string().get(text) == simdjson::SUCCESS;
        if (key == "traceId" && isText) span.trace = hashOfHex(text);
        if (key == "spanId" && isText) span.id = hashOfHex(text);
        if (key == "parentSpanId" && isText) span.parent = hashOfHex(text);
        if (key == "name" && isText) span.name = m_builder.intern(text);
        if (key == "startTimeUnixNano") start = isText ? parseInt(text) : record::integer(value);
        if (key == "endTimeUnixNano") end = isText ? parseInt(text) : record::integer(value);
        if (key == "attributes") return readAttributes(value, attributes);
        if (key == "events") return readEvents(value, span, records);
        Object status;
        if (key == "status" && value.get_object().get(status) == simdjson::SUCCESS) {
            return eachField(status, [&](std::string_view name, Value code) {
                std::string_view word;
                if (name == "code" && code.get_string().get(word) == simdjson::SUCCESS) {
                    span.isError = word == "STATUS_CODE_ERROR";
                } else if (name == "code") {
                    span.isError = record::integer(code) == 2;
                }
                return true;
            });
        }
        return true;
    });
    if (!isGood) return false;
    if (!start || !end || *start <= 0 || !span.name.isValid()) {
        ++m_incomplete;
        return true;
    }
    span.start_ns = *start;
    span.end_ns = *end == 0 ? kUnrecorded : *end;
    span.firstAttribute = static_cast<uint32_t>(m_attributes.size());
    span.attributeCount = static_cast<uint32_t>(attributes.size());
    m_attributes.insert(m_attributes.end(), attributes.begin(), attributes.end());
    m_spans.push_back(span);
    return true;
}

bool OtlpSpans::readAttributes(Value list, std::vector<OtlpAttribute>& out)
{
    return eachObject(list, [&](Object object, const char*) {
        OtlpAttribute attribute;
        if (!readAttribute(object, attribute)) return false;
        if (attribute.key != OtlpKey::none) out.push_back(attribute);
        return true;
    });
}

// Reads {"values":[{"stringValue":...}, ...]} as "a, b".
std::string textOfList(record::Value list)
{
    std::string out;
    record::Object object;
    if (list.get_object().get(object) != simdjson::SUCCESS) return out;
    eachField(object, [&](std::string_view key, record::Value values) {
        return key != "values" || eachObject(values, [&](record::Object element, const char*) {
                   return eachField(element, [&](std::string_view type, record::Value of) {
                       const auto text = type == "stringValue" ? record::text(of) : std::nullopt;
                       if (text) out += (out.empty() ? "" : ", ") + std::string(*text);
                       return true;
                   });
               });
    });
    return out;
}

// Reads {"key":k,"value":{"stringValue":...}}, in any order. Of lists, only texts are read, and maps are left
// to the details.
bool OtlpSpans::readAttribute(Object object, OtlpAttribute& out)
{
    std::optional<std::string_view> text;
    std::string list;
    const bool isGood = eachField(object, [&](std::string_view key, Value value) {
        std::string_view name;
        if (key == "key" && value.get_string().get(name) == simdjson::SUCCESS) out.key = keyOf(name);
        Object typed;
        if (key != "value" || value.get_object().get(typed) != simdjson::SUCCESS) return true;
        return eachField(typed, [&](std::string_view type, Value of) {
            std::string_view found;
            bool isTrue = false;
            if (type == "stringValue" && of.get_string().get(found) == simdjson::SUCCESS) text = found;
            if (type == "arrayValue") text = list = textOfList(of);
            if (type == "intValue") out.integer = record::integer(of).value_or(kUnrecorded);
            if (type == "intValue" && out.integer != kUnrecorded)
                out.number = static_cast<double>(out.integer);
            if (type == "doubleValue" && of.get_double().get(out.number) != simdjson::SUCCESS) out.number = 0;
            if (type == "boolValue" && of.get_bool().get(isTrue) == simdjson::SUCCESS) out.number = isTrue;
            return true;
        });
    });
    if (text && out.key != OtlpKey::none) out.text = m_builder.intern(*text);
    return isGood;
}

bool OtlpSpans::readEvents(Value list, OtlpSpan& span, const JsonRecords& records)
{
    span.firstEvent = static_cast<uint32_t>(m_events.size());
    return eachObject(list, [&](Object object, const char* at) {
        OtlpEvent event;
        event.position = records.positionOf(at);
        std::vector<OtlpAttribute>& attributes = m_ofEvent;
        attributes.clear();
        const bool isGood = eachField(object, [&](std::string_view key, Value value) {
            std::string_view text;
            if (key == "name" && value.get_string().get(text) == simdjson::SUCCESS)
                event.name = m_builder.intern(text);
            if (key == "timeUnixNano") event.time_ns = record::integer(value).value_or(0);
            return key != "attributes" || readAttributes(value, attributes);
        });
        if (!isGood) return false;
        if (event.name.isValid() && event.time_ns > 0) {
            event.firstAttribute = static_cast<uint32_t>(m_attributes.size());
            event.attributeCount = static_cast<uint32_t>(attributes.size());
            m_attributes.insert(m_attributes.end(), attributes.begin(), attributes.end());
            m_events.push_back(event);
            ++span.eventCount;
        }
        return true;
    });
}

} // namespace lockstep
