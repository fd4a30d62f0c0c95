// SPDX-License-Identifier: Apache-2.0
// The columns of a table of events: what they are called, what stands in them on screen, in a copy and in a
// file, and which of them have to be asked of the report's file again. Pure; any thread.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <QString>

#include "core/timeline/event_facts.h"
#include "core/timeline/event_list.h"
#include "core/trace/row_facts.h"

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
    const char* word;    // in settings; stable
    const char* title;   // untranslated
    const char* unit;    // of the numbers; "" for texts
    const char* tooltip; // untranslated
    bool isNumber = false;
    bool isShownAtFirst = true;
    int width = 100; // px at scale 1
};
const EventColumnSpec& eventColumn(EventColumn column);
// The order that a click on its head gives; none: rows cannot be put in that order.
std::optional<EventOrder> orderOf(EventColumn column);

// What a report's file says of a slice beside the columns, and where it came in its collective.
struct FileFacts {
    std::optional<int64_t> correlation, registers;
    std::vector<int64_t> grid, block; // three numbers, or none
    std::optional<ArrivalSkew> skew;
};
using FileFactsOf = std::map<SliceRef, FileFacts>;
// Whether any of these columns needs them.
bool needsFileFacts(std::span<const EventColumn> columns);
struct FileFactsFound {
    FileFactsOf of;
    std::string failure; // why the first file that could not be read was not; empty: all were
};
// Of some rows; reads the reports' files. canceled.
Result<FileFactsFound> readFileFacts(const Scene& scene, std::span<const SliceRef> rows,
                                     const Progress& progress);

// row: from 0. more may be null: not read yet. Empty where nothing is known.
QString eventCellText(EventColumn column, uint64_t row, const EventFacts& facts, const FileFacts* more);
// For clipboards and files: integer ns, no grouping.
QString eventCellCopy(EventColumn column, uint64_t row, const EventFacts& facts, const FileFacts* more);
// To sum up; absent for texts and where nothing is known.
std::optional<double> eventCellNumber(EventColumn column, const EventFacts& facts, const FileFacts* more);

// Writes rows [first, end) with a line of heads, cell by cell through `cell`, a line at a time to `sink`.
struct EventRowsText {
    std::vector<EventColumn> columns; // in the order of the screen
    uint64_t first = 0, end = 0;
    char delimiter = ',';
};
// canceled. failure of FileFactsFound of the first file that could not be read, else "".
Result<std::string> writeEventRows(const EventList& list, const EventRowsText& what,
                                   const std::function<void(std::string_view)>& sink,
                                   const Progress& progress);

} // namespace lockstep
