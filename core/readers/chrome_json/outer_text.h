// SPDX-License-Identifier: Apache-2.0
// OuterText scans the part of a trace file around its events byte by byte: the top-level keys of the object
// form, in any order, before and after the events. Fed by WindowCutter, which takes over inside the event
// array.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

// One top-level key and its value, as written (the key without quotes).
struct HeaderField {
    std::string key;
    std::string value;
};

class OuterText {
  public:
    enum class State { scanning, events, ended, notATrace };

    // Consumes bytes from `text` until the event array opens or the text ends. Returns the number of consumed
    // bytes. Check state() afterwards.
    size_t feed(std::string_view text);
    // Called by the owner after the end of the array that put this object into state `events`.
    void leaveEvents();
    // Called by the owner if it found events outside of their array; open values are abandoned.
    void enterEvents();
    // Like enterEvents(), for a text without a header: forgets what was taken for one.
    void enterLines();

    State state() const { return m_state; }
    bool isBareArray() const { return m_isBareArray; }
    bool sawEvents() const { return m_sawEvents; }
    // Longer values are dropped and counted, because no trace needs them and they could exhaust memory.
    static constexpr size_t kLongestValue = 16 * 1024 * 1024;
    uint64_t droppedValues() const { return m_dropped; }
    const std::vector<HeaderField>& fields() const { return m_fields; }

  private:
    enum class At { start, beforeKey, key, colon, beforeValue, text, nested, scalar, afterValue };

    bool consume(char c); // returns false if c belongs to the next state and must be passed again
    bool consumeBeforeValue(char c);
    void consumeNested(char c);
    void append(char c);
    void endValue();

    State m_state = State::scanning;
    At m_at = At::start;
    bool m_isBareArray = false;
    bool m_sawEvents = false;
    bool m_escape = false;
    bool m_inString = false;
    bool m_tooLong = false;
    int64_t m_depth = 0;
    uint64_t m_dropped = 0;
    std::string m_key;
    std::string m_value;
    std::vector<HeaderField> m_fields;
};

} // namespace lockstep
