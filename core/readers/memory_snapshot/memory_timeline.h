// SPDX-License-Identifier: Apache-2.0
// Reads the two JSON forms of torch.profiler's export_memory_timeline: bytes per category over time.
#pragma once

#include <string_view>

#include "core/readers/pickle/value_tree.h"
#include "core/trace/report_builder.h"

namespace lockstep {

// Returns true for text that starts with "[[". In the raw form, the text is a list of [t_ns, action, signed
// bytes, category]; in the plain form, it is [times, sizes].
bool looksLikeMemoryTimeline(std::string_view text);

// Adds one counter track per category (Parameter, Optimizer state, ...), in bytes, on the profiler's own
// clock. Raw form: one point per run of rows with equal timestamps, with the sum of all changes so far.
// Negative timestamps ("existed before") become the smallest nonnegative timestamp, or 0. Plain form: times
// are in µs, with nine columns per time, of which the first is always 0. Actions are counted. The report's
// memory has the same levels, as areas of categories. Returns corrupt if it is neither form.
Status decodeMemoryTimeline(const ValueTree& values, ValueId root, ProcessId process, ReportBuilder& builder,
                            const Progress& progress);

} // namespace lockstep
