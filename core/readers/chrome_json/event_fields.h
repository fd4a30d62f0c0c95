// SPDX-License-Identifier: Apache-2.0
// EventFields converts one simdjson object to a RawEvent. It handles the spelling of fields, not their
// meaning. One per worker; views in a RawEvent are valid until the next read() or until the object's parser
// advances.
#pragma once

#include <vector>

#include <simdjson.h>

#include "core/readers/chrome_json/raw_event.h"
#include "core/trace/import_notes.h"

namespace lockstep {

class EventFields {
  public:
    // Reads an object; returns false if it violates the JSON grammar, and `event` must not be used then.
    // Values of the wrong type are omitted and counted.
    bool read(simdjson::ondemand::object& object, RawEvent& event, ImportNotes& notes);

    // If true, unused args are searched for events that became part of a corrupt string. Objects that contain
    // such events are rejected.
    void setScansSkipped(bool looks) { m_scansSkipped = looks; }

  private:
    using Value = simdjson::ondemand::value;

    bool readField(const char* key, Value& value, RawEvent& event, ImportNotes& notes);
    bool readArguments(Value& value, RawEvent& event, ImportNotes& notes);
    bool readNamedArguments(simdjson::ondemand::object& object, RawEvent& event, ImportNotes& notes);
    void addCollectiveArgument(const char* key, std::string_view token, Value& value, RawEvent& event);
    bool readArgumentList(std::string_view object, RawEvent& event);
    bool readDeferred(RawEvent& event, ImportNotes& notes);
    std::string_view textOf(Value& value, std::string_view token, const RawEvent& event, ImportNotes& notes);

    simdjson::ondemand::parser m_nested;
    std::vector<RawArgument> m_list;
    std::string_view m_deferred; // args, if they came before ph
    CollectiveArguments m_collective;
    bool m_scansSkipped = false;
};

} // namespace lockstep
