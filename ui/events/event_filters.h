// SPDX-License-Identifier: Apache-2.0
// What is typed above the columns of a table of events, as the query that it means. Pure; any thread.
#pragma once

#include <map>

#include <QString>

#include "core/timeline/event_query.h"
#include "ui/events/event_columns.h"

namespace lockstep {

using EventFilterTexts = std::map<EventColumn, QString>;

// Whether rows can be filtered by that column.
bool isFilterable(EventColumn column);
// What may be typed there, for a tooltip; translated.
QString filterHelp(EventColumn column);
// Of names: words and /patterns/ as in the search, of lanes a text or /pattern/, of durations "> 200" (µs, or
// with a unit), of ranks "0-15,32". invalid: the field's text is none of that; which field is in the message.
Result<EventQuery> eventFilterQuery(const EventFilterTexts& texts);
// What the field of the name's column holds so that exactly this name passes; of one too long for a pattern,
// whatever has it in it.
QString exactNameFilter(std::string_view name);

} // namespace lockstep
