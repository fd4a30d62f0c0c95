// SPDX-License-Identifier: Apache-2.0
// EventReader converts the tokens of one event to a RawEvent. It handles the spelling of fields, not their
// meaning. One per worker; views in a RawEvent are valid until the next read() or until the text ends.
//
// An event is accepted if its braces enclose members that follow the JSON grammar, with the exceptions of
// JsonTokens::afterValue(). Values of the wrong type are ignored. A name or category with an invalid escape
// sequence is used as written and noted, and so are NaN and Infinity in args, which count as no value.
#pragma once

#include <vector>

#include "core/readers/chrome_json/json_tokens.h"
#include "core/readers/chrome_json/raw_event.h"
#include "core/trace/import_notes.h"

namespace lockstep {

class EventReader {
  public:
    // Reads the event whose { is token `first`; event.offset must be set. Returns the token after the event.
    // Returns 0 if the event is not accepted; `event` must not be used then, and nothing was noted. The last
    // token of the text must be a closing bracket.
    size_t read(const JsonTokens& tokens, size_t first, RawEvent& event, ImportNotes& notes);

    // If true, unused args are searched for events that became part of a corrupt string. Events that contain
    // such events are not accepted.
    void setScansSkipped(bool scans) { m_scansSkipped = scans; }

  private:
    // Each of these functions takes the token of a value and returns the token after the value, or 0 like
    // read().
    size_t readField(const JsonTokens& tokens, std::string_view key, size_t value, RawEvent& event);
    size_t readArguments(const JsonTokens& tokens, size_t value, RawEvent& event);
    size_t readNamedArguments(const JsonTokens& tokens, size_t value, RawEvent& event);
    size_t readArgumentList(const JsonTokens& tokens, size_t value, RawEvent& event);

    void addCollectiveArgument(const JsonTokens& tokens, std::string_view key, size_t value, RawEvent& event);
    std::string_view nameOf(const JsonTokens& tokens, size_t value);
    std::string_view unescapedKey(const JsonTokens& tokens, std::string_view key);

    std::vector<RawArgument> m_list;
    std::vector<uint8_t> m_unescaped;
    size_t m_unescapedSize = 0;
    size_t m_deferred = 0; // token of args, if they came before ph
    CollectiveArguments m_collective;
    uint64_t m_invalidEscapes = 0; // number in this event
    uint64_t m_notFinite = 0;      // number in this event
    bool m_scansSkipped = false;
};

} // namespace lockstep
