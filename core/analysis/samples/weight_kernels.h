// SPDX-License-Identifier: Apache-2.0
// WeightKernels: what the kernels of one trainer show of weight updates, for runs that do not record the
// parts of an update: all-gathers collect the trainer's shards, broadcasts and sends move the weights, and
// copies rearrange them. Pure. Thread: any.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "core/align/clock_map.h"
#include "core/base/interval_set.h"
#include "core/base/progress.h"
#include "core/base/rl_phase.h"
#include "core/trace/report.h"

namespace lockstep {

// Times are on the aligned axis.
struct WeightKernels {
    std::array<std::vector<TimeRange>, kWeightParts> parts; // gather, reshard and transfer only
    // Starts and sizes in bytes of the messages that move weights, where the report records sizes.
    std::vector<std::pair<TraceTime, int64_t>> messages;
};

// Adds the work of a process within weight updates. updates: on the aligned axis. The only possible error is
// `canceled`. O(device rows of the process).
Status addWeightKernels(const Report& report, ProcessId process, const ClockMap& map,
                        const IntervalSet& updates, const Progress& progress, WeightKernels& out);

} // namespace lockstep
