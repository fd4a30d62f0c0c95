// SPDX-License-Identifier: Apache-2.0
// Damaged stamps, judged against the other rows of the file. A row whose start lies hours from all others
// would stretch the time axis and turn every share of it into nonsense; a kernel that ends seconds after its
// successor on the same stream began has no true length. Used by ReportFreezer.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "core/base/time.h"
#include "core/trace/import_notes.h"
#include "core/trace/report_builder.h"

namespace lockstep {

// The range of starts that is plausible for the file; absent: all rows are. Starts are counted by minute.
// Minutes with more than six hours of nothing between them are clusters; the one with the most rows is the
// bulk. Another cluster is a stray if it is farther from the bulk than 20 times its length and has at most 8
// rows, or 1 in 10,000 of the file. A larger one is another part of a long recording. Rows within the session
// that the file states are never strays. Skipped if the starts span six hours or less. O(rows).
std::optional<TimeRange> plausibleStarts(std::span<const SliceBatch* const> batches,
                                         const TimeRange& session);

// Moves rows outside the range to the tracks returned by trackOf() and counts them in notes. The moved rows
// become diagnostics without a correlation, so they can be viewed but no table includes them.
void setStrayRowsApart(std::span<SliceBatch* const> batches, const TimeRange& plausible,
                       const std::function<TrackId(TrackId)>& trackOf, ImportNotes& notes);

// Kernels of one stream in the order of their starts: cuts durations that cannot be. A kernel ends after the
// next one's start by microseconds where that was launched early, by milliseconds where both are parts of a
// graph; one in 100 that does so by 10 ms and by 1,000 times the stream's median duration is damaged, and
// ends where the next one starts at the latest. Returns how many were cut; `first` is set to one of them.
// O(kernels).
size_t cutImpossibleDurations(std::span<const int64_t> start_ns, std::span<int64_t> duration_ns,
                              std::span<const RowKind> kind, std::span<uint8_t> flags, size_t& first);

} // namespace lockstep
