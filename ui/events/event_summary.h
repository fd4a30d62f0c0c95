// SPDX-License-Identifier: Apache-2.0
// eventSummary(): count, sum and mean of chosen cells of a table of events, as the status line says it. Pure;
// off the UI thread.
#pragma once

#include "ui/events/event_columns.h"

namespace lockstep {

// Rows that one copy takes at most; an export takes all.
inline constexpr uint64_t kMostCopiedRows = 100'000;
// Rows that are summed up at most: beyond, only their number is said.
inline constexpr uint64_t kMostSummedRows = 2'000'000;

// Cells of rows [first, end) and these columns. Durations and skews are summed as times, where no other
// numbers are chosen with them. canceled.
Result<std::string> eventSummary(const EventList& list, const std::vector<EventColumn>& columns,
                                 uint64_t first, uint64_t end, const Progress& progress);

} // namespace lockstep
