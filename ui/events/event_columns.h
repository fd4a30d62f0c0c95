// SPDX-License-Identifier: Apache-2.0
// Columns of an event table: their titles, the cell contents on screen, on the clipboard and in files, and
// which columns need a computation that takes longer than a frame. Pure; any thread.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <QString>

#include "core/search/event_facts.h"
#include "core/search/event_list.h"

namespace lockstep {

enum class EventColumn : uint8_t {
    number,
    start,
    duration,
    name,
    rank,
    node,
    lane,
    communicator,
    bytes,
    bus,
    skew,
    correlation,
    grid,
    block,
    registers,
    thread,
    kind,
    count
};
inline constexpr size_t kEventColumns = static_cast<size_t>(EventColumn::count);

struct EventColumnSpec {
    const char* word;    // identifier in settings; stable
    const char* title;   // untranslated
    const char* unit;    // unit of numbers; "" for text columns
    const char* tooltip; // untranslated
    bool isNumber = false;
    bool isShownAtFirst = true;
    int width = 100; // px at scale 1
};
const EventColumnSpec& eventColumn(EventColumn column);
// Returns the sort order that a click on the header selects, or nullopt if the column cannot be sorted.
std::optional<EventOrder> orderOf(EventColumn column);

// The arrival skews of slices; nullopt for a slice that is not part of a matched collective.
using ArrivalSkews = std::map<SliceRef, std::optional<ArrivalSkew>>;
// Returns true if any of the columns needs the arrival skew.
bool needsSkew(std::span<const EventColumn> columns);
// Computes the arrival skews of some rows, off the UI thread. Error: canceled.
Result<ArrivalSkews> arrivalSkews(const Scene& scene, std::span<const SliceRef> rows,
                                  const Progress& progress);

// Returns the displayed text of a cell, empty if unknown. row: zero-based. skew: nullptr until it is
// computed.
QString eventCellText(EventColumn column, uint64_t row, const EventFacts& facts, const ArrivalSkew* skew);
// Returns the content of a cell for the clipboard and for files: times in integer ns, no digit grouping.
QString eventCellCopy(EventColumn column, uint64_t row, const EventFacts& facts, const ArrivalSkew* skew);
// Returns the value of a cell for sums, or nullopt for text columns and unknown values.
std::optional<double> eventCellNumber(EventColumn column, const EventFacts& facts, const ArrivalSkew* skew);

// EventRowsText describes which rows [first, end) are written, after a line of column headers.
struct EventRowsText {
    std::vector<EventColumn> columns; // in screen order
    uint64_t first = 0, end = 0;
    char delimiter = ',';
};
// Writes the rows line by line to the sink. Error: canceled.
Status writeEventRows(const EventList& list, const EventRowsText& what,
                      const std::function<void(std::string_view)>& sink, const Progress& progress);

} // namespace lockstep
