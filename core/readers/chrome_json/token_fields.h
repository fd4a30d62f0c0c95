// SPDX-License-Identifier: Apache-2.0
// TokenFields: the tokens of one event -> RawEvent, as EventFields reads it from simdjson's object, in a
// third of the time. It takes only what follows the grammar to the letter and needs no note; all else it
// leaves to EventFields, which knows what to make of it. One per worker; the views in a RawEvent live until
// the next read() or until the text goes.
#pragma once

#include <array>
#include <vector>

#include "core/readers/chrome_json/event_shape.h"
#include "core/readers/chrome_json/json_tokens.h"
#include "core/readers/chrome_json/raw_event.h"

namespace lockstep {

class TokenFields {
  public:
    // The token behind the event whose { is token `first`; 0 when the event is left to EventFields and
    // nothing in `event` is to be used. The text's last token is a ].
    size_t read(const JsonTokens& tokens, size_t first, RawEvent& event);

    // As EventFields::setLooksIntoSkipped().
    void setLooksIntoSkipped(bool looks) { m_looksIntoSkipped = looks; }

    // False: shapes of earlier events are not made use of, as EventParser::setReading() says.
    void setUsesShapes(bool uses) { m_usesShapes = uses; }

  private:
    void begin();
    EventShape& shapeLike(const JsonTokens& tokens, size_t first);
    size_t readShaped(const JsonTokens& tokens, size_t first, const EventShape& shape, RawEvent& event);
    size_t readAny(const JsonTokens& tokens, size_t first, RawEvent& event);
    // Each takes the token of a value and returns the one behind it, or 0 as above.
    size_t readField(const JsonTokens& tokens, const char* key, size_t value, RawEvent& event);
    size_t readText(const JsonTokens& tokens, size_t value, std::string_view& text);
    size_t readId(const JsonTokens& tokens, size_t value, RawEvent& event);
    size_t readArguments(const JsonTokens& tokens, size_t value, RawEvent& event);
    size_t readNamedArguments(const JsonTokens& tokens, size_t value, RawEvent& event);
    size_t readArgumentList(const JsonTokens& tokens, size_t value, RawEvent& event);
    bool takeCollective(const JsonTokens& tokens, const char* key, size_t value, RawEvent& event);

    std::array<EventShape, 32> m_shapes; // by the letter of the phase
    size_t m_phaseAt = 3;                // the phase's token, counted from an event's first
    bool m_usesShapes = true;
    std::vector<RawArgument> m_list;
    std::vector<uint8_t> m_unescaped;
    size_t m_unescapedSize = 0;
    size_t m_deferred = 0; // args that came before ph
    CollectiveArguments m_collective;
    bool m_looksIntoSkipped = false;
};

} // namespace lockstep
