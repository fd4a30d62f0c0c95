// SPDX-License-Identifier: Apache-2.0
// The output of NCCL's example profiler plugin (plugins/profiler/example/print_event.cc in NVIDIA/nccl):
// async events on the host's steady clock. A collective's event ends when the host is done with it; when its
// kernel ran is in the arguments of its KernelCh events, one for each channel, in ns of the GPU's global
// timer. What is printed between the begin and the end of a collective is part of it, so that the order in
// the file counts.
#pragma once

#include <span>

#include "core/readers/chrome_json/event_rows.h"
#include "core/trace/report_builder.h"

namespace lockstep {

// Adds a kernel for each collective with a channel that started and stopped, from the first start to the last
// stop, and what the plugin states of it: communicator, sequence number, rank in the communicator, size. NCCL
// counts by communicator and function, so that both together are the group. The global timer is put onto the
// file's clock by the channel that the host noticed soonest; where it counts from 1970, as it does on most
// machines, the report gets a wall clock from it. The rank is guessed where all collectives agree on theirs.
void addNcclKernels(std::span<const EventRows> workers, ReportBuilder& builder);

} // namespace lockstep
