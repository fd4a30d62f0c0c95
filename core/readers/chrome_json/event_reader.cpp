// SPDX-License-Identifier: Apache-2.0
#include "core/readers/chrome_json/event_reader.h"

#include <bit>
#include <cstring>

#include "core/readers/chrome_json/event_arguments.h"
#include "core/readers/chrome_json/event_category.h"
#include "core/readers/chrome_json/event_starts.h"

namespace lockstep {

namespace {

constexpr size_t kLongestKey = 8;

// Returns the bytes of a key of at most eight letters as a number.
consteval uint64_t keyConstant(std::string_view key)
{
    uint64_t number = 0;
    for (size_t i = 0; i < key.size(); ++i)
        number |= uint64_t(static_cast<unsigned char>(key[i])) << (8 * i);
    return number;
}

// Returns keyConstant(key), or 0 if the key is longer. At least eight bytes must be readable.
uint64_t keyNumber(std::string_view key)
{
    if (key.empty() || key.size() > kLongestKey) return 0;
    uint64_t number = 0;
    std::memcpy(&number, key.data(), sizeof number);
    if constexpr (std::endian::native == std::endian::big) number = __builtin_bswap64(number);
    return number & ~uint64_t(0) >> (8 * (kLongestKey - key.size()));
}

// Iterates over the members of the object at token `open`. visit(key, value) receives the key as written and
// the token of the value. It returns the token after the value, or 0. Returns the token after the object; 0
// if the grammar is violated or visit() returned 0.
template<class Visit>
size_t forEachMember(const JsonTokens& tokens, size_t open, Visit&& visit)
{
    size_t at = open + 1;
    if (tokens.at(at) == '}') return at + 1;
    while (tokens.at(at) == '"' && tokens.at(at + 1) == ':') {
        at = visit(tokens.key(at), at + 2);
        if (at == 0) return 0;
        const char next = tokens.at(at);
        ++at;
        if (next == '}') return at;
        if (next != ',') return 0;
    }
    return 0;
}

ActorText actorOf(std::string_view text)
{
    ActorText actor;
    if (const auto number = integerOf(text)) {
        actor.number = *number;
    } else {
        actor.text = text;
        actor.isText = true;
    }
    return actor;
}

void readTime(std::string_view text, int64_t& time_ns, bool& has, bool& isBad)
{
    const auto number = timestampOf(text);
    if (number) {
        time_ns = *number;
        has = true;
    }
    isBad = !has;
}

bool isTrue(std::string_view text)
{
    return text == "true" || text == "1";
}

// Returns true if all args of an event must be read: for counters, metadata, and collectives of NCCL's
// profiler plugin.
bool hasArgumentList(const RawEvent& event)
{
    if (event.phase == 'b')
        return event.category == "COLL" || event.category == "P2P" || event.category == "GPU";
    return event.phase == 'C' || event.phase == 'M';
}

// Returns false for keys of arguments that cannot describe a communication. Most arguments of a GPU row start
// with a lower-case letter, most arguments of a communication with an upper-case letter.
bool mayDescribeCollective(std::string_view key)
{
    return !key.empty() && ((key[0] >= 'A' && key[0] <= 'Z') || key == "dtype");
}

// Reads a field whose value is a scalar. Returns false if the key is not one of these fields.
bool readScalarField(uint64_t key, std::string_view text, RawEvent& event)
{
    switch (key) {
    case keyConstant("pid"):
        event.pid = actorOf(text);
        return true;
    case keyConstant("tid"):
        event.tid = actorOf(text);
        return true;
    case keyConstant("ts"):
        readTime(text, event.start_ns, event.hasStart, event.badStart);
        return true;
    case keyConstant("dur"):
        readTime(text, event.duration_ns, event.hasDuration, event.badDuration);
        return true;
    case keyConstant("id"):
        event.id = text;
        return true;
    case keyConstant("scope"):
        event.scope = text;
        return true;
    case keyConstant("bp"):
        event.bindsEnclosing = text == "e";
        return true;
    case keyConstant("bind_id"):
        event.bindId = text;
        return true;
    case keyConstant("flow_in"):
        event.flowsIn = isTrue(text);
        return true;
    case keyConstant("flow_out"):
        event.flowsOut = isTrue(text);
        return true;
    default:
        return false;
    }
}

} // namespace

size_t EventReader::read(const JsonTokens& tokens, size_t first, RawEvent& event, ImportNotes& notes)
{
    m_deferred = 0;
    m_unescapedSize = 0;
    m_invalidEscapes = 0;
    m_notFinite = 0;
    if (!m_collective.isEmpty()) m_collective.clear();
    const size_t after = forEachMember(tokens, first, [&](std::string_view key, size_t value) {
        return readField(tokens, key, value, event);
    });
    if (after == 0) return 0;
    if (m_deferred != 0) {
        const bool isRead = hasArgumentList(event) ? readArgumentList(tokens, m_deferred, event) != 0
                                                   : readNamedArguments(tokens, m_deferred, event) != 0;
        if (!isRead) return 0;
    }
    if (m_invalidEscapes > 0) {
        notes.add("text.escape", NoteSeverity::warning,
                  "strings with an unknown escape sequence: shown as written",
                  "byte " + std::to_string(event.offset), m_invalidEscapes);
    }
    if (m_notFinite > 0) {
        notes.add("value.not_finite", NoteSeverity::warning, "bare NaN or Infinity: treated as no value",
                  "byte " + std::to_string(event.offset), m_notFinite);
    }
    return after;
}

size_t EventReader::readField(const JsonTokens& tokens, std::string_view key, size_t value, RawEvent& event)
{
    const uint64_t number = keyNumber(key);
    if (number == keyConstant("args")) return readArguments(tokens, value, event);
    const size_t after = tokens.afterValue(value);
    if (after == 0) return 0;
    switch (number) {
    case keyConstant("ph"):
        event.phase = tokens.at(value) == '"' && tokens.text(value).size() > 2 ? tokens.place(value)[1] : '?';
        return after;
    case keyConstant("cat"):
        event.category = nameOf(tokens, value);
        return after;
    case keyConstant("name"):
        event.name = nameOf(tokens, value);
        return after;
    case keyConstant("id2"):
        event.id = tokens.between(value, after);
        return after;
    default:
        break;
    }
    // An object or array in place of a scalar is read as an empty string.
    const std::string_view text =
        tokens.isContainer(value) ? std::string_view() : scalarText(tokens.text(value));
    if (!readScalarField(number, text, event) && tokens.isEscaped(key)) {
        const std::string_view other = unescapedKey(tokens, key);
        if (other.data() != key.data()) return readField(tokens, other, value, event);
    }
    return after;
}

// Returns the text of a name or category. A string with an invalid escape sequence is used as written.
std::string_view EventReader::nameOf(const JsonTokens& tokens, size_t value)
{
    if (tokens.isContainer(value)) return {};
    const std::string_view text = scalarText(tokens.text(value));
    if (tokens.at(value) != '"' || !tokens.isEscaped(text)) return text;
    const std::string_view unescaped = tokens.unescaped(text, m_unescaped, m_unescapedSize);
    if (unescaped.data() != nullptr) return unescaped;
    ++m_invalidEscapes;
    return text;
}

std::string_view EventReader::unescapedKey(const JsonTokens& tokens, std::string_view key)
{
    if (!tokens.isEscaped(key)) return key;
    const std::string_view unescaped = tokens.unescaped(key, m_unescaped, m_unescapedSize);
    return unescaped.data() != nullptr ? unescaped : key;
}

size_t EventReader::readArguments(const JsonTokens& tokens, size_t value, RawEvent& event)
{
    if (tokens.at(value) != '{') return tokens.afterValue(value);
    const bool isSkipped =
        event.phase == 'X' && !readsArguments(event.category) && event.name != kRecordOfComms;
    if (event.phase != 0 && !isSkipped) {
        return hasArgumentList(event) ? readArgumentList(tokens, value, event)
                                      : readNamedArguments(tokens, value, event);
    }
    const size_t after = tokens.afterValue(value);
    if (after == 0) return 0;
    if (!isSkipped) {
        m_deferred = value;
    } else if (m_scansSkipped && nextEventStart(tokens.between(value, after), 1) != std::string_view::npos) {
        return 0;
    }
    return after;
}

size_t EventReader::readNamedArguments(const JsonTokens& tokens, size_t value, RawEvent& event)
{
    return forEachMember(tokens, value, [&](std::string_view writtenKey, size_t entry) {
        const size_t after = tokens.afterValue(entry);
        if (after == 0) return after;
        if (isNotFinite(tokens.text(entry))) {
            ++m_notFinite;
            return after;
        }
        const std::string_view key = unescapedKey(tokens, writtenKey);
        readNamedArgument(key, tokens, entry, event.args);
        if (mayDescribeCollective(key)) addCollectiveArgument(tokens, key, entry, event);
        return after;
    });
}

void EventReader::addCollectiveArgument(const JsonTokens& tokens, std::string_view key, size_t value,
                                        RawEvent& event)
{
    if (tokens.at(value) == '{') return;
    const std::string_view text = tokens.at(value) == '[' ? tokens.between(value, tokens.afterValue(value))
                                                          : scalarText(tokens.text(value));
    if (m_collective.take(key, text)) event.collective = &m_collective;
}

size_t EventReader::readArgumentList(const JsonTokens& tokens, size_t value, RawEvent& event)
{
    m_list.clear();
    const size_t after = forEachMember(tokens, value, [&](std::string_view key, size_t entry) {
        const size_t afterEntry = tokens.afterValue(entry);
        if (afterEntry == 0) return afterEntry;
        const bool isText = tokens.at(entry) == '"';
        std::string_view content = scalarText(tokens.between(entry, afterEntry));
        if (isText && tokens.isEscaped(content)) {
            const std::string_view unescaped = tokens.unescaped(content, m_unescaped, m_unescapedSize);
            if (unescaped.data() != nullptr) content = unescaped;
        }
        m_list.push_back({unescapedKey(tokens, key), content, isText});
        return afterEntry;
    });
    event.list = m_list;
    return after;
}

} // namespace lockstep
