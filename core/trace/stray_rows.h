// SPDX-License-Identifier: Apache-2.0
// Detects corrupt timestamps by comparison with the other rows of the file. A row that starts hours away from
// all others would stretch the time axis, and percentages of the total time would be meaningless. If a GPU
// kernel ends seconds after the next GPU kernel in its stream began, its recorded duration is not true. Used
// by ReportFreezer.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "core/base/time.h"
#include "core/trace/import_notes.h"
#include "core/trace/report_builder.h"

namespace lockstep {

// Returns the range of starts that is plausible for the file; absent if all rows are plausible. Starts are
// counted per minute. Gaps of more than six hours separate clusters, and the cluster with the most rows is
// the bulk. Clusters whose distance from the bulk is more than 20 times the length of the bulk are strays, if
// the rows outside of the bulk are at most 1 in 10,000 of the file, or at most 8 rows and at most a tenth of
// the file. Otherwise, such clusters are other parts of a long recording. Rows within the session that the
// file records are never strays. Skipped if the starts span six hours or less. O(rows).
std::optional<TimeRange> plausibleStarts(std::span<const SliceBatch* const> batches,
                                         const TimeRange& session);

// Moves rows outside of the range to the tracks returned by trackOf() and counts them in `notes`. The moved
// rows become diagnostics without a correlation, so they can be viewed, but tables do not include them.
void separateStrayRows(std::span<SliceBatch* const> batches, const TimeRange& plausible,
                       const std::function<TrackId(TrackId)>& trackOf, ImportNotes& notes);

// Cuts impossible durations of GPU kernels in one stream, given in order of their starts. A GPU kernel may
// end after the start of the next one: by microseconds if the next one was launched early, or by milliseconds
// if both belong to a CUDA graph. If at most one in 100 does so by more than 10 ms and by more than 1,000
// times the stream's median duration, the duration is corrupt and is cut at the start of the next GPU kernel.
// Returns the number of cut durations; `first` is set to one of them. O(kernels).
size_t cutImpossibleDurations(std::span<const int64_t> start_ns, std::span<int64_t> duration_ns,
                              std::span<const RowKind> kind, std::span<uint8_t> flags, size_t& first);

} // namespace lockstep
