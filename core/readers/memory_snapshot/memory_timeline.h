// SPDX-License-Identifier: Apache-2.0
// The two JSON forms of torch.profiler's export_memory_timeline: bytes per category over time.
#pragma once

#include <string_view>

#include "core/readers/memory_snapshot/value_tree.h"
#include "core/trace/report_builder.h"

namespace lockstep {

// "[[...": the raw form is a list of [t_ns, action, signed bytes, category], the plain one is [times, sizes].
bool looksLikeMemoryTimeline(std::string_view text);

// Adds one counter track per category (Parameter, Optimizer state, ...), in bytes, on the profiler's own
// clock. Raw form: a point for each run of rows of one stamp, holding all that came before; stamps below zero
// ("existed before") take the smallest other one, or 0. Plain form: times in µs, nine columns per time, the
// first always 0. Actions are counted. The report's memory becomes the same levels, as areas of categories.
// corrupt when it is neither form.
Status decodeMemoryTimeline(const ValueTree& values, ValueId root, ProcessId process, ReportBuilder& builder,
                            const Progress& progress);

} // namespace lockstep
