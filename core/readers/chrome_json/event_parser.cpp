#include "core/readers/chrome_json/event_parser.h"

#include <cstring>

#include <simdjson.h>

#include "core/readers/chrome_json/event_borders.h"
#include "core/readers/chrome_json/event_fields.h"
#include "core/readers/chrome_json/event_repair.h"

namespace lockstep {

namespace od = simdjson::ondemand;

namespace {

// True when nothing stands behind the value that was walked.
bool isAtEnd(od::document& document)
{
    return document.current_location().error() == simdjson::OUT_OF_BOUNDS;
}

} // namespace

struct EventParser::Buffers {
    od::parser window;
    od::parser single;
    EventFields fields;
    std::string text; // one event, padded
    std::string repaired;
};

EventParser::EventParser(EventRows& rows) : m_rows(rows), m_buffers(std::make_unique<Buffers>()) {}

EventParser::~EventParser() = default;

void EventParser::parse(const Window& window)
{
    Place place{window.text() + 1, false};
    if (parseWhole(window, place)) return;
    if (place.isHandled) { // the fault lies behind this event
        const std::string_view rest(place.event,
                                    window.size - 1 - static_cast<size_t>(place.event - window.text()));
        place.event += tolerantObjectEnd(rest).value_or(rest.size());
    }
    parseOneByOne(window, place.event);
}

// False when simdjson refuses the window; place then tells how far it came.
bool EventParser::parseWhole(const Window& window, Place& place)
{
    od::document document;
    od::array elements;
    const size_t capacity = window.buffer.size() - window.begin;
    if (m_buffers->window.iterate(window.text(), window.size, capacity).get(document) != simdjson::SUCCESS)
        return false;
    if (document.get_array().get(elements) != simdjson::SUCCESS) return false;
    for (auto element : elements) {
        od::value value;
        if (std::move(element).get(value) != simdjson::SUCCESS) return false;
        const std::string_view token = value.raw_json_token();
        if (token.empty()) return false;
        if (token[0] != '{') {
            m_rows.notes().add("event.not_object", NoteSeverity::warning,
                               "an element of the events is no object",
                               "byte " + std::to_string(window.offsetOf(token.data())));
            continue;
        }
        place = {token.data(), false};
        od::object object;
        RawEvent event;
        event.offset = window.offsetOf(token.data());
        if (value.get_object().get(object) != simdjson::SUCCESS) return false;
        if (!m_buffers->fields.read(object, event, m_rows.notes())) return false;
        m_rows.add(event);
        place.isHandled = true;
    }
    return isAtEnd(document);
}

void EventParser::parseOneByOne(const Window& window, const char* from)
{
    const std::string_view text(window.text(), window.size - 1); // without the closing bracket
    size_t at = static_cast<size_t>(from - window.text());
    while (at < text.size()) {
        if (std::strchr(" \n\r\t,", text[at]) != nullptr) {
            ++at;
            continue;
        }
        const uint64_t offset = window.offsetOf(text.data() + at);
        const auto size = text[at] == '{' ? tolerantObjectEnd(text.substr(at)) : std::nullopt;
        if (size && parseOne(text.substr(at, *size), offset)) {
            at += *size;
            continue;
        }
        m_rows.notes().add("event.unreadable", NoteSeverity::dataLoss,
                           "an event is no JSON even after repair and was skipped",
                           "byte " + std::to_string(offset));
        at = size ? at + *size : std::min(text.find('{', at + 1), text.size());
    }
}

bool EventParser::parseOne(std::string_view text, uint64_t offset)
{
    const auto parsePadded = [&](std::string& padded) {
        const size_t size = padded.size();
        padded.append(simdjson::SIMDJSON_PADDING, ' ');
        od::document document;
        od::object object;
        RawEvent event;
        event.offset = offset;
        ImportNotes notes;
        od::parser& parser = m_buffers->single;
        if (parser.iterate(padded.data(), size, padded.size()).get(document) != simdjson::SUCCESS)
            return false;
        if (document.get_object().get(object) != simdjson::SUCCESS) return false;
        if (!m_buffers->fields.read(object, event, notes) || !isAtEnd(document)) return false;
        m_rows.notes().merge(notes);
        m_rows.add(event);
        return true;
    };
    m_buffers->text.assign(text);
    if (parsePadded(m_buffers->text)) return true;
    m_buffers->repaired = repairedEvent(text);
    if (!parsePadded(m_buffers->repaired)) return false;
    m_rows.notes().add("event.repaired", NoteSeverity::warning,
                       "an event breaks the JSON grammar and was mended", "byte " + std::to_string(offset));
    return true;
}

} // namespace lockstep
