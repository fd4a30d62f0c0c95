// SPDX-License-Identifier: Apache-2.0
#include "core/readers/chrome_json/token_fields.h"

#include <algorithm>
#include <cstring>

#include "core/readers/chrome_json/event_category.h"
#include "core/readers/chrome_json/event_heads.h"
#include "core/readers/chrome_json/event_scalars.h"

namespace lockstep {

namespace {

// Iterates over the fields of the object at token `open`. visit(key, value) receives the position after the
// opening quote of the key, and the token of the value. It returns the token after the value, or 0. Returns
// the token after the object; 0 if the grammar is violated or visit() returned 0. No step except the last
// goes past the text's last ], because no step accepts that character.
template<class Visit>
size_t walkFields(const JsonTokens& tokens, size_t open, Visit&& visit)
{
    size_t at = open + 1;
    if (tokens.at(at) == '}') return at + 1;
    while (tokens.at(at) == '"' && tokens.at(at + 1) == ':') {
        at = visit(tokens.place(at) + 1, at + 2);
        if (at == 0) return 0;
        const char next = tokens.at(at);
        ++at;
        if (next == '}') return at;
        if (next != ',') return 0;
    }
    return 0;
}

bool hasBackslash(std::string_view text)
{
    return std::memchr(text.data(), '\\', text.size()) != nullptr;
}

// Returns true for characters that start a value in simdjson.
bool beginsValue(char c)
{
    return c == '{' || c == '[' || c == '"' || c == '-' || c == 'n' || c == 't' || c == 'f' ||
           (c >= '0' && c <= '9');
}

} // namespace

size_t TokenFields::read(const JsonTokens& tokens, size_t first, RawEvent& event)
{
    EventShape& shape = shapeFor(tokens, first);
    if (m_usesShapes && shape.fits(tokens, first)) {
        const size_t behind = readShaped(tokens, first, shape, event);
        if (behind != 0) return behind;
        const uint64_t offset = event.offset;
        event = RawEvent();
        event.offset = offset;
    }
    const size_t behind = readAny(tokens, first, event);
    if (behind != 0) {
        shape.learn(tokens, first, behind);
        if (const size_t phase = shape.valueOf(ScalarField::phase); phase != 0) m_phaseAt = phase;
    }
    return behind;
}

// Returns the shape of the last event with the same phase. Assumes that the phase is at the same position as
// in the last event.
EventShape& TokenFields::shapeFor(const JsonTokens& tokens, size_t first)
{
    const size_t phase = std::min(first + m_phaseAt, tokens.count());
    return m_shapes[static_cast<unsigned char>(tokens.place(phase)[1]) % m_shapes.size()];
}

size_t TokenFields::readShaped(const JsonTokens& tokens, size_t first, const EventShape& shape,
                               RawEvent& event)
{
    begin();
    for (const ScalarField field :
         {ScalarField::phase, ScalarField::process, ScalarField::thread, ScalarField::start,
          ScalarField::duration, ScalarField::id, ScalarField::scope, ScalarField::bindsEnclosing,
          ScalarField::bindId, ScalarField::flowsIn}) {
        const size_t value = shape.valueOf(field);
        if (value != 0) readScalarField(field, withoutTrailingBlanks(tokens.text(first + value)), event);
    }
    if (shape.category() != 0 && readText(tokens, first + shape.category(), event.category) == 0) return 0;
    if (shape.name() != 0 && readText(tokens, first + shape.name(), event.name) == 0) return 0;
    if (shape.arguments() == 0) return first + shape.size();
    if (event.phase == 0) return 0; // args of such an event must wait until its phase is known
    const size_t behind = readArguments(tokens, first + shape.arguments(), event);
    return behind != 0 && tokens.at(behind) == '}' ? behind + 1 : 0;
}

void TokenFields::begin()
{
    m_deferred = 0;
    m_unescapedSize = 0;
    if (!m_collective.isEmpty()) m_collective.clear();
}

size_t TokenFields::readAny(const JsonTokens& tokens, size_t first, RawEvent& event)
{
    begin();
    const size_t behind = walkFields(
        tokens, first, [&](const char* key, size_t value) { return readField(tokens, key, value, event); });
    if (behind == 0 || m_deferred == 0) return behind;
    const bool isRead = hasArgumentList(event) ? readArgumentList(tokens, m_deferred, event) != 0
                                               : readNamedArguments(tokens, m_deferred, event) != 0;
    return isRead ? behind : 0;
}

size_t TokenFields::readField(const JsonTokens& tokens, const char* key, size_t value, RawEvent& event)
{
    switch (key[0]) {
    case 'a':
        if (isKey(key, "args")) return readArguments(tokens, value, event);
        break;
    case 'c':
        if (isKey(key, "cat")) return readText(tokens, value, event.category);
        break;
    case 'n':
        if (isKey(key, "name")) return readText(tokens, value, event.name);
        break;
    case 'i':
        if (isKey(key, "id2")) return readId(tokens, value, event);
        [[fallthrough]];
    default:
        readScalarField(scalarFieldOf(key), withoutTrailingBlanks(tokens.text(value)), event);
    }
    return tokens.behind(value);
}

size_t TokenFields::readId(const JsonTokens& tokens, size_t value, RawEvent& event)
{
    const char c = tokens.at(value);
    const size_t behind = tokens.behind(value);
    if (behind == 0 || !beginsValue(c) || ((c == '{' || c == '[') && !tokens.isWellFormedContainer(value)))
        return 0;
    event.id = withoutTrailingBlanks(tokens.between(value, behind));
    return behind;
}

size_t TokenFields::readText(const JsonTokens& tokens, size_t value, std::string_view& text)
{
    text = scalarText(tokens.text(value));
    if (tokens.hasEscapes() && tokens.at(value) == '"' && hasBackslash(text)) {
        text = tokens.unescaped(value, m_unescaped, m_unescapedSize);
        if (text.data() == nullptr) return 0;
    }
    return tokens.behind(value);
}

size_t TokenFields::readArguments(const JsonTokens& tokens, size_t value, RawEvent& event)
{
    if (tokens.at(value) != '{') return tokens.behind(value);
    const bool isSkipped =
        event.phase == 'X' && !readsArguments(event.category) && event.name != kRecordOfComms;
    if (event.phase != 0 && !isSkipped) {
        return hasArgumentList(event) ? readArgumentList(tokens, value, event)
                                      : readNamedArguments(tokens, value, event);
    }
    const size_t behind = tokens.behind(value);
    if (behind == 0 || (isSkipped && !m_scansSkipped)) return behind;
    if (!tokens.isWellFormedContainer(value)) return 0;
    if (!isSkipped) {
        m_deferred = value;
    } else if (nextEventHead(tokens.between(value, behind), 1) != std::string_view::npos) {
        return 0;
    }
    return behind;
}

size_t TokenFields::readNamedArguments(const JsonTokens& tokens, size_t value, RawEvent& event)
{
    return walkFields(tokens, value, [&](const char* key, size_t entry) -> size_t {
        const std::string_view token = tokens.text(entry);
        if (isNotFinite(token)) return 0;
        readNamedArgument(key, token, event.args);
        return addCollectiveArgument(tokens, key, entry, event) ? tokens.behind(entry) : 0;
    });
}

bool TokenFields::addCollectiveArgument(const JsonTokens& tokens, const char* key, size_t value,
                                        RawEvent& event)
{
    const std::string_view name = collectiveKey(key);
    if (name.empty()) return true;
    std::string_view text = scalarText(tokens.text(value));
    if (tokens.at(value) == '[') {
        const size_t behind = tokens.behind(value);
        if (behind == 0 || !tokens.isWellFormedContainer(value)) return false;
        text = withoutTrailingBlanks(tokens.between(value, behind));
    }
    if (m_collective.take(name, text)) event.collective = &m_collective;
    return true;
}

size_t TokenFields::readArgumentList(const JsonTokens& tokens, size_t value, RawEvent& event)
{
    m_list.clear();
    const size_t behind = walkFields(tokens, value, [&](const char* key, size_t entry) -> size_t {
        const auto* const quote = static_cast<const char*>(std::memchr(
            // The quote is the end of the key, or an escaped quote.
            key, '"', static_cast<size_t>(tokens.place(entry) - key)));
        const std::string_view name(key, static_cast<size_t>(quote - key));
        const std::string_view token = withoutTrailingBlanks(tokens.text(entry));
        const bool isText = token[0] == '"';
        if (hasBackslash(name) || (isText && hasBackslash(token))) return 0;
        m_list.push_back({name, scalarText(token), isText});
        return tokens.behind(entry);
    });
    event.list = m_list;
    return behind;
}

} // namespace lockstep
