// SPDX-License-Identifier: Apache-2.0
// Reads the output of NCCL's example profiler plugin (plugins/profiler/example/print_event.cc in
// NVIDIA/nccl). It consists of async events on the host's steady clock. The event of a collective ends when
// the host has finished the call. The kernel's times are arguments of its KernelCh events, one per channel,
// in ns of the GPU's global timer. Events printed between the begin and end of a collective belong to it, so
// file order matters.
#pragma once

#include <span>

#include "core/readers/chrome_json/event_rows.h"
#include "core/trace/report_builder.h"

namespace lockstep {

// Adds a kernel slice for each collective with a completed channel, from the first start to the last stop.
// The slice has the collective's communicator, sequence number, rank in the communicator and size. NCCL
// counts collectives per communicator and function, so both together identify the group. The global timer is
// mapped to the file's clock by the channel with the shortest delay. If the timer counts from 1970, as on
// most machines, it also gives the report a wall clock. The report's rank is a guess, and is used only if all
// collectives record the same rank.
void addNcclKernels(std::span<const EventRows> workers, ReportBuilder& builder);

} // namespace lockstep
