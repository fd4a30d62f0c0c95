// SPDX-License-Identifier: Apache-2.0
#include "core/readers/chrome_json/outer_text.h"

#include "core/base/words.h"

namespace lockstep {

size_t OuterText::feed(std::string_view text)
{
    size_t at = 0;
    while (at < text.size() && m_state == State::scanning) {
        if (consume(text[at])) ++at;
    }
    return at;
}

void OuterText::leaveEvents()
{
    m_state = m_isBareArray ? State::ended : State::scanning;
    m_at = At::afterValue;
}

void OuterText::enterLines()
{
    enterEvents();
    m_fields.clear();
}

void OuterText::enterEvents()
{
    m_state = State::events;
    m_sawEvents = true;
    m_escape = false;
    m_value = {};
}

bool OuterText::consume(char c)
{
    switch (m_at) {
    case At::start:
        if (isJsonBlank(c) || c == '\xEF' || c == '\xBB' || c == '\xBF') return true; // a byte order mark
        m_isBareArray = c == '[';
        m_sawEvents = m_isBareArray;
        m_state = m_isBareArray ? State::events : c == '{' ? State::scanning : State::notATrace;
        m_at = At::beforeKey;
        return true;
    case At::beforeKey:
    case At::afterValue:
        if (c == '}') m_state = State::ended;
        if (c == '"') {
            m_key.clear();
            m_at = At::key;
        }
        return true; // commas, blanks, and stray bytes
    case At::key:
        if (c == '"' && !m_escape) {
            m_at = At::colon;
        } else if (m_key.size() < 1024) {
            m_key += c;
        }
        m_escape = c == '\\' && !m_escape;
        return true;
    case At::colon:
        if (c == ':') m_at = At::beforeValue;
        return true;
    case At::beforeValue:
        return consumeBeforeValue(c);
    case At::text:
        append(c);
        if (c == '"' && !m_escape) endValue();
        m_escape = c == '\\' && !m_escape;
        return true;
    case At::nested:
        consumeNested(c);
        return true;
    case At::scalar:
        if (isJsonBlank(c) || c == ',' || c == '}' || c == ']') {
            endValue();
            return false;
        }
        append(c);
        return true;
    }
    return true;
}

bool OuterText::consumeBeforeValue(char c)
{
    if (isJsonBlank(c)) return true;
    m_value.clear();
    m_tooLong = false;
    m_escape = false;
    if (c == '[' && m_key == "traceEvents") {
        m_state = State::events;
        m_sawEvents = true;
        return true;
    }
    append(c);
    if (c == '"') {
        m_at = At::text;
    } else if (c == '{' || c == '[') {
        m_at = At::nested;
        m_depth = 1;
        m_inString = false;
    } else {
        m_at = At::scalar;
    }
    return true;
}

void OuterText::consumeNested(char c)
{
    append(c);
    if (m_inString) {
        if (c == '"' && !m_escape) m_inString = false;
        m_escape = c == '\\' && !m_escape;
        return;
    }
    if (c == '"') m_inString = true;
    if (c == '{' || c == '[') ++m_depth;
    if ((c == '}' || c == ']') && --m_depth == 0) endValue();
}

void OuterText::append(char c)
{
    if (m_value.size() < kLongestValue) {
        m_value += c;
    } else {
        m_tooLong = true;
    }
}

void OuterText::endValue()
{
    m_at = At::afterValue;
    if (m_tooLong) {
        ++m_dropped;
    } else {
        m_fields.push_back({m_key, m_value});
    }
    m_value = {};
}

} // namespace lockstep
