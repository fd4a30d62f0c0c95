// SPDX-License-Identifier: Apache-2.0
// TokenFields converts the tokens of one event to a RawEvent, with the same result as EventFields in a third
// of the time. It handles only events that follow the grammar exactly and need no note; EventFields handles
// all other events. One per worker; views in a RawEvent are valid until the next read() or the end of the
// text.
#pragma once

#include <array>
#include <vector>

#include "core/readers/chrome_json/event_shape.h"
#include "core/readers/chrome_json/json_tokens.h"
#include "core/readers/chrome_json/raw_event.h"

namespace lockstep {

class TokenFields {
  public:
    // Returns the token after the event whose { is token `first`. Returns 0 if EventFields must read the
    // event; `event` must not be used then. The last token of the text must be a ].
    size_t read(const JsonTokens& tokens, size_t first, RawEvent& event);

    // See EventFields::setScansSkipped().
    void setScansSkipped(bool looks) { m_scansSkipped = looks; }

    // If false, the shapes of earlier events are not used; see EventParser::setReading().
    void setUsesShapes(bool uses) { m_usesShapes = uses; }

  private:
    void begin();
    EventShape& shapeFor(const JsonTokens& tokens, size_t first);
    size_t readShaped(const JsonTokens& tokens, size_t first, const EventShape& shape, RawEvent& event);
    size_t readAny(const JsonTokens& tokens, size_t first, RawEvent& event);
    // Each of these functions takes the token of a value and returns the token after the value, or 0 like
    // read().
    size_t readField(const JsonTokens& tokens, const char* key, size_t value, RawEvent& event);
    size_t readText(const JsonTokens& tokens, size_t value, std::string_view& text);
    size_t readId(const JsonTokens& tokens, size_t value, RawEvent& event);
    size_t readArguments(const JsonTokens& tokens, size_t value, RawEvent& event);
    size_t readNamedArguments(const JsonTokens& tokens, size_t value, RawEvent& event);
    size_t readArgumentList(const JsonTokens& tokens, size_t value, RawEvent& event);
    bool addCollectiveArgument(const JsonTokens& tokens, const char* key, size_t value, RawEvent& event);

    std::array<EventShape, 32> m_shapes; // indexed by the letter of the phase
    size_t m_phaseAt = 3;                // token of the phase, relative to an event's first token
    bool m_usesShapes = true;
    std::vector<RawArgument> m_list;
    std::vector<uint8_t> m_unescaped;
    size_t m_unescapedSize = 0;
    size_t m_deferred = 0; // token of args, if they came before ph
    CollectiveArguments m_collective;
    bool m_scansSkipped = false;
};

} // namespace lockstep
