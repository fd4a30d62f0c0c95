// SPDX-License-Identifier: Apache-2.0
// eventSummary() returns the count, sum and mean of the selected cells of an event table, for the status bar.
// Pure; call it off the UI thread.
#pragma once

#include "ui/events/event_columns.h"

namespace lockstep {

// Maximum number of rows that can be copied at once; exports have no such maximum.
inline constexpr uint64_t kMaxCopiedRows = 100'000;
// Maximum number of rows that are summed; for more rows, only the cell count is shown.
inline constexpr uint64_t kMaxSummedRows = 2'000'000;

// Summarizes the cells of rows [first, end) and the given columns. Numbers are summed only if a single
// numeric column is selected. Error: canceled.
Result<std::string> eventSummary(const EventList& list, const std::vector<EventColumn>& columns,
                                 uint64_t first, uint64_t end, const Progress& progress);

} // namespace lockstep
