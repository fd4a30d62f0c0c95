// SPDX-License-Identifier: Apache-2.0
#include "core/readers/chrome_json/event_parser.h"

#include <algorithm>
#include <cstring>

#include "core/readers/chrome_json/event_borders.h"
#include "core/readers/chrome_json/event_reader.h"
#include "core/readers/chrome_json/event_repair.h"
#include "core/readers/chrome_json/event_starts.h"

namespace lockstep {

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

} // namespace

struct EventParser::Buffers {
    JsonTokens tokens;
    EventReader reader;
    std::string text; // one event, padded
    std::string repaired;
};

EventParser::EventParser(EventRows& rows, const Progress& progress)
    : m_rows(rows), m_progress(progress), m_buffers(std::make_unique<Buffers>())
{
}

EventParser::~EventParser() = default;

void EventParser::parse(const Window& window)
{
    m_buffers->reader.setScansSkipped(!hasLines(window));
    const char* const rest = parseValid(window);
    if (rest != nullptr) parseOneByOne(window, rest);
}

// Adds the events of the window up to the first one that EventReader rejects. Returns the start of the rest;
// null if all events were added.
const char* EventParser::parseValid(const Window& window)
{
    const JsonTokens& tokens = m_buffers->tokens;
    if (!m_buffers->tokens.scan({window.text(), window.size})) return window.text() + 1;
    const size_t last = tokens.count() - 1;
    size_t at = 1;
    while (at != last) {
        size_t after = at;
        if (tokens.at(at) == '{') {
            RawEvent event;
            event.offset = window.offsetOf(tokens.place(at));
            after = m_buffers->reader.read(tokens, at, event, m_rows.notes());
            if (after != 0) m_rows.add(event);
        } else {
            if (tokens.at(at) != ',') after = tokens.afterValue(at); // otherwise the element is absent
            if (after != 0) noteNotObject(window.offsetOf(tokens.place(at)));
        }
        if (after == 0) return tokens.place(at);
        if (after == last) break;
        if (tokens.at(after) != ',') return tokens.place(after);
        at = after + 1;
    }
    return nullptr;
}

void EventParser::noteNotObject(uint64_t offset)
{
    m_rows.notes().add("event.not_object", NoteSeverity::warning,
                       "elements of the event list that are not objects: skipped",
                       "byte " + std::to_string(offset));
}

void EventParser::parseOneByOne(const Window& window, const char* from)
{
    const std::string_view text(window.text(), window.size - 1); // without the closing bracket
    size_t at = static_cast<size_t>(from - window.text());
    size_t next = at; // the next event start after `at`
    while (at < text.size() && !m_progress.isCanceled()) {
        if (isSeparator(text[at])) {
            ++at;
            continue;
        }
        if (next <= at) next = std::min(nextEventStart(text, at + 1), text.size());
        at += parseSection(text.substr(at, next - at), window.offsetOf(text.data() + at));
    }
}

// Handles one element, or the rest of an element, at the front of a section that extends to the next event
// start. Returns the number of handled bytes.
size_t EventParser::parseSection(std::string_view section, uint64_t offset)
{
    const auto size = section[0] == '{' ? tolerantObjectEnd(section) : std::nullopt;
    if (size && parseOne(section.substr(0, *size), offset)) return *size;
    const size_t end = size ? *size : section.size();
    const std::string_view text = withoutSeparators(section.substr(0, end));
    if (section[0] != '{' || size || !parseRepaired(text, offset))
        m_rows.textBytes.addLost(offset, text.size());
    return end;
}

bool EventParser::parseSingle(std::string& text, uint64_t offset)
{
    JsonTokens& tokens = m_buffers->tokens;
    const size_t size = text.size();
    text.append(Window::kPadding, ' ');
    if (!tokens.scan({text.data(), size})) return false;
    const bool isObject = tokens.at(0) == '{' && tokens.at(tokens.count() - 1) == '}';
    RawEvent event;
    event.offset = offset;
    ImportNotes notes;
    if (!isObject || m_buffers->reader.read(tokens, 0, event, notes) != tokens.count()) return false;
    m_rows.notes().merge(notes);
    m_rows.add(event);
    return true;
}

bool EventParser::parseOne(std::string_view text, uint64_t offset)
{
    m_buffers->text.assign(text);
    return parseSingle(m_buffers->text, offset) || parseRepaired(text, offset);
}

bool EventParser::parseRepaired(std::string_view text, uint64_t offset)
{
    m_buffers->repaired = repairedEvent(text);
    if (!parseSingle(m_buffers->repaired, offset)) {
        m_buffers->repaired = repairedEvent(upToLastBracket(text));
        if (!parseSingle(m_buffers->repaired, offset)) return false;
    }
    m_rows.textBytes.repaired += text.size();
    m_rows.notes().add("event.repaired", NoteSeverity::warning, "events with invalid JSON syntax: repaired",
                       "byte " + std::to_string(offset));
    return true;
}

} // namespace lockstep
