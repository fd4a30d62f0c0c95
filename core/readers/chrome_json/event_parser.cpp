// SPDX-License-Identifier: Apache-2.0
#include "core/readers/chrome_json/event_parser.h"

#include <algorithm>
#include <cstring>

#include <simdjson.h>

#include "core/readers/chrome_json/event_borders.h"
#include "core/readers/chrome_json/event_fields.h"
#include "core/readers/chrome_json/event_heads.h"
#include "core/readers/chrome_json/event_repair.h"
#include "core/readers/chrome_json/token_fields.h"

namespace lockstep {

namespace od = simdjson::ondemand;

namespace {

bool isSeparator(char c)
{
    return c == ',' || c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

std::string_view withoutSeparators(std::string_view text)
{
    while (!text.empty() && isSeparator(text.back()))
        text.remove_suffix(1);
    return text;
}

// Returns true if the window contains line breaks. Two corrupted quotes can turn all text between them into
// one string. If the file has line breaks, simdjson detects this, because it rejects line breaks inside
// strings. In a file without line breaks, skipped arguments must be examined.
bool hasLines(const Window& window)
{
    return std::memchr(window.text(), '\n', std::min<size_t>(window.size, 4096)) != nullptr;
}

// Returns true if nothing follows the parsed value.
bool isAtEnd(od::document& document)
{
    return document.current_location().error() == simdjson::OUT_OF_BOUNDS;
}

} // namespace

struct EventParser::Buffers {
    JsonTokens tokens;
    TokenFields tokenFields;
    od::parser window;
    od::parser single;
    EventFields fields;
    std::string text; // one event, padded
    std::string repaired;
};

EventParser::EventParser(EventRows& rows, const Progress& progress)
    : m_rows(rows), m_progress(progress), m_buffers(std::make_unique<Buffers>())
{
}

EventParser::~EventParser() = default;

void EventParser::setReading(Reading reading)
{
    m_reading = reading;
    m_buffers->tokenFields.setUsesShapes(reading == Reading::shapes);
}

void EventParser::parse(const Window& window)
{
    Place place{window.text() + 1, false};
    if (parseWhole(window, place)) return;
    if (place.isHandled) { // the error is after this event
        const std::string_view rest(place.event,
                                    window.size - 1 - static_cast<size_t>(place.event - window.text()));
        place.event += tolerantObjectEnd(rest).value_or(rest.size());
    }
    parseOneByOne(window, place.event);
}

// Returns false if simdjson rejects the window; `place` then contains the position that was reached.
bool EventParser::parseWhole(const Window& window, Place& place)
{
    if (!m_buffers->tokens.scan({window.text(), window.size})) return false;
    size_t handled = 0;
    const bool isWhole = m_reading != Reading::objects && parseTokens(window, place, handled);
    return isWhole || parseRemaining(window, place, handled);
}

// Parses a window by tokens. Returns true if the end of the window was reached. Otherwise `handled` is the
// number of events before the first one that requires parseRemaining().
bool EventParser::parseTokens(const Window& window, Place& place, size_t& handled)
{
    const JsonTokens& tokens = m_buffers->tokens;
    const size_t last = tokens.count() - 1;
    const bool isClosed = last > 1 && tokens.at(0) == '[' && tokens.at(last) == ']';
    // simdjson also examines the byte after the end
    if (!isClosed || tokens.at(last + 1) == ']') return false;
    m_buffers->tokenFields.setScansSkipped(!hasLines(window));
    for (size_t at = 1; tokens.at(at) == '{';) {
        RawEvent event;
        event.offset = window.offsetOf(tokens.place(at));
        const size_t behind = m_buffers->tokenFields.read(tokens, at, event);
        if (behind == 0) return false;
        m_rows.add(event);
        place = {tokens.place(at), true};
        ++handled;
        if (tokens.at(behind) != ',') return behind == last;
        at = behind + 1;
    }
    return false;
}

// The general method. Returns false if simdjson rejects the window. Skips the first `handled` events.
bool EventParser::parseRemaining(const Window& window, Place& place, size_t handled)
{
    od::document document;
    od::array elements;
    const size_t capacity = window.buffer.size() - window.begin;
    if (m_buffers->window.iterate(window.text(), window.size, capacity).get(document) != simdjson::SUCCESS)
        return false;
    if (document.get_array().get(elements) != simdjson::SUCCESS) return false;
    m_buffers->fields.setScansSkipped(!hasLines(window));
    size_t met = 0;
    for (auto element : elements) {
        od::value value;
        if (std::move(element).get(value) != simdjson::SUCCESS) return false;
        if (met++ < handled) continue;
        const std::string_view token = value.raw_json_token();
        if (token.empty()) return false;
        if (token[0] != '{') {
            m_rows.notes().add("event.not_object", NoteSeverity::warning,
                               "elements of the event list that are not objects: skipped",
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
    size_t head = at; // the next event head after `at`
    while (at < text.size() && !m_progress.isCanceled()) {
        if (isSeparator(text[at])) {
            ++at;
            continue;
        }
        if (head <= at) head = std::min(nextEventHead(text, at + 1), text.size());
        at += parsePiece(text.substr(at, head - at), window.offsetOf(text.data() + at));
    }
}

// Handles one element, or the rest of an element, at the front of a piece that extends to the next event
// head. Returns the number of handled bytes.
size_t EventParser::parsePiece(std::string_view piece, uint64_t offset)
{
    const auto size = piece[0] == '{' ? tolerantObjectEnd(piece) : std::nullopt;
    if (size && parseOne(piece.substr(0, *size), offset)) return *size;
    const size_t end = size ? *size : piece.size();
    const std::string_view text = withoutSeparators(piece.substr(0, end));
    if (piece[0] != '{' || size || !parseRepaired(text, offset)) m_rows.textBytes.lose(offset, text.size());
    return end;
}

bool EventParser::parsePadded(std::string& text, uint64_t offset)
{
    const size_t size = text.size();
    text.append(simdjson::SIMDJSON_PADDING, ' ');
    od::document document;
    od::object object;
    RawEvent event;
    event.offset = offset;
    ImportNotes notes;
    if (m_buffers->single.iterate(text.data(), size, text.size()).get(document) != simdjson::SUCCESS)
        return false;
    if (document.get_object().get(object) != simdjson::SUCCESS) return false;
    if (!m_buffers->fields.read(object, event, notes) || !isAtEnd(document)) return false;
    m_rows.notes().merge(notes);
    m_rows.add(event);
    return true;
}

bool EventParser::parseOne(std::string_view text, uint64_t offset)
{
    m_buffers->text.assign(text);
    return parsePadded(m_buffers->text, offset) || parseRepaired(text, offset);
}

bool EventParser::parseRepaired(std::string_view text, uint64_t offset)
{
    m_buffers->repaired = repairedEvent(text);
    if (!parsePadded(m_buffers->repaired, offset)) {
        m_buffers->repaired = repairedEvent(upToLastBracket(text));
        if (!parsePadded(m_buffers->repaired, offset)) return false;
    }
    m_rows.textBytes.repaired += text.size();
    m_rows.notes().add("event.repaired", NoteSeverity::warning, "events with invalid JSON syntax: repaired",
                       "byte " + std::to_string(offset));
    return true;
}

} // namespace lockstep
