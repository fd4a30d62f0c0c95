// SPDX-License-Identifier: Apache-2.0
// OuterText: the part of a trace file around its events, taken byte by byte: the top-level keys of the object
// form, in any order, before and after the events. Fed by WindowCutter, which takes over inside the events'
// array.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

// One top-level key and its value, both as written (the key without its quotes).
struct HeaderField {
    std::string key;
    std::string value;
};

class OuterText {
  public:
    enum class State { going, events, ended, noTrace };

    // Takes bytes from text until the events' array opens or all are taken; returns how many. Look at state()
    // then.
    size_t feed(std::string_view text);
    // Called by the owner when the array that made the state `events` has closed.
    void leaveEvents();
    // Called by the owner when it met events outside of their array: what was open is given up.
    void enterEvents();

    State state() const { return m_state; }
    bool isBareArray() const { return m_isBareArray; }
    bool sawEvents() const { return m_sawEvents; }
    // Values longer than this are dropped and counted: no trace needs them, and memory is not theirs to take.
    static constexpr size_t kLongestValue = 16 * 1024 * 1024;
    uint64_t droppedValues() const { return m_dropped; }
    const std::vector<HeaderField>& fields() const { return m_fields; }

  private:
    enum class At { start, beforeKey, key, colon, beforeValue, text, nested, scalar, afterValue };

    bool take(char c); // false: c belongs to the next place and must be offered again
    bool takeBeforeValue(char c);
    void takeNested(char c);
    void append(char c);
    void endValue();

    State m_state = State::going;
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
