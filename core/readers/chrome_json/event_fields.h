// SPDX-License-Identifier: Apache-2.0
// EventFields: one simdjson object -> RawEvent. Knows the spelling of the fields and nothing of what they
// mean. One per worker; the views in a RawEvent live until the next read() or until the object's parser goes
// on.
#pragma once

#include <vector>

#include <simdjson.h>

#include "core/readers/chrome_json/raw_event.h"
#include "core/trace/import_notes.h"

namespace lockstep {

class EventFields {
  public:
    // False when the object breaks the JSON grammar; event is then not to be used. A value of the wrong kind
    // is left out and counted.
    bool read(simdjson::ondemand::object& object, RawEvent& event, ImportNotes& notes);

    // True: args that make no row are searched for events that a damaged string swallowed, and the object
    // that holds such is refused.
    void setLooksIntoSkipped(bool looks) { m_looksIntoSkipped = looks; }

  private:
    using Value = simdjson::ondemand::value;

    bool readField(const char* key, Value& value, RawEvent& event, ImportNotes& notes);
    bool readArguments(Value& value, RawEvent& event, ImportNotes& notes);
    bool readNamedArguments(simdjson::ondemand::object& object, RawEvent& event, ImportNotes& notes);
    void takeCollective(const char* key, std::string_view token, Value& value, RawEvent& event);
    bool readArgumentList(std::string_view object, RawEvent& event);
    bool readDeferred(RawEvent& event, ImportNotes& notes);
    std::string_view textOf(Value& value, std::string_view token, const RawEvent& event, ImportNotes& notes);

    simdjson::ondemand::parser m_nested;
    std::vector<RawArgument> m_list;
    std::string_view m_deferred; // args that came before ph
    CollectiveArguments m_collective;
    bool m_looksIntoSkipped = false;
};

} // namespace lockstep
