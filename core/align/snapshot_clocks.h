// SPDX-License-Identifier: Apache-2.0
// Snapshot clocks: a memory snapshot is stamped by its machine's wall clock and holds no collectives. Where
// another report of its process, which states the same wall clock, was placed by something better, the
// snapshot goes with it. Used by alignReports() only; pure.
#pragma once

#include "core/align/clock_map.h"
#include "core/trace/workspace.h"

namespace lockstep {

// Corrects the maps of snapshots that stand by their wall clock. Of several reports of the process the one
// counts that overlaps the snapshot longest, of equal ones the first.
void placeSnapshots(const Workspace& workspace, ByReport<ClockMap>& maps);

} // namespace lockstep
