// SPDX-License-Identifier: Apache-2.0
// Columns of an event table: their titles, the cell contents on screen, on the clipboard and in files, and
// which columns need data from the report's file. Pure; any thread.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <QString>

#include "core/search/event_facts.h"
#include "core/search/event_list.h"
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

// FileFacts holds the data of a slice that is stored only in the report's file, and the arrival skew of the
// slice in its collective.
struct FileFacts {
    std::optional<int64_t> correlation, registers;
    std::vector<int64_t> grid, block; // three numbers, or empty
    std::optional<ArrivalSkew> skew;
};
using FileFactsOf = std::map<SliceRef, FileFacts>;
// Returns true if any of the columns needs FileFacts.
bool needsFileFacts(std::span<const EventColumn> columns);
struct FileFactsFound {
    FileFactsOf of;
    std::string failure; // error for the first unreadable file; empty if there is none
};
// Reads the FileFacts of some rows from the reports' files. Error: canceled.
Result<FileFactsFound> readFileFacts(const Scene& scene, std::span<const SliceRef> rows,
                                     const Progress& progress);

// Returns the displayed text of a cell, empty if unknown. row: zero-based. more: nullptr until the file data
// has been read.
QString eventCellText(EventColumn column, uint64_t row, const EventFacts& facts, const FileFacts* more);
// Returns the content of a cell for the clipboard and for files: times in integer ns, no digit grouping.
QString eventCellCopy(EventColumn column, uint64_t row, const EventFacts& facts, const FileFacts* more);
// Returns the value of a cell for sums, or nullopt for text columns and unknown values.
std::optional<double> eventCellNumber(EventColumn column, const EventFacts& facts, const FileFacts* more);

// EventRowsText describes which rows [first, end) are written, after a line of column headers.
struct EventRowsText {
    std::vector<EventColumn> columns; // in screen order
    uint64_t first = 0, end = 0;
    char delimiter = ',';
};
// Writes the rows line by line to the sink. Returns FileFactsFound::failure, which describes the first
// unreadable file; "" if all files were readable. Error: canceled.
Result<std::string> writeEventRows(const EventList& list, const EventRowsText& what,
                                   const std::function<void(std::string_view)>& sink,
                                   const Progress& progress);

} // namespace lockstep
