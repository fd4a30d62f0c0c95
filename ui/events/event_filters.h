// SPDX-License-Identifier: Apache-2.0
// Converts the text of the filter fields above the columns of an event table into a query. Pure; any thread.
#pragma once

#include <map>

#include <QString>

#include "core/search/event_query.h"
#include "ui/events/event_columns.h"

namespace lockstep {

using EventFilterTexts = std::map<EventColumn, QString>;

// Returns true if the list can be filtered by the column.
bool isFilterable(EventColumn column);
// Returns the tooltip of a filter field, translated.
QString filterHelp(EventColumn column);
// Parses the filters into a query. Name filters accept words and /patterns/ as in the search field. Lane
// filters accept text or a /pattern/. Duration filters are written as "> 200" (in µs if no unit is given),
// rank filters as "0-15,32". Error: invalid, with the column in the message.
Result<EventQuery> eventFilterQuery(const EventFilterTexts& texts);
// Returns a name filter that matches exactly this name. If the name is too long for a pattern, the filter
// matches all names that contain it.
QString exactNameFilter(std::string_view name);

} // namespace lockstep
