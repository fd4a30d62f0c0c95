// SPDX-License-Identifier: Apache-2.0
// Aligns memory snapshots, which have wall-clock timestamps and contain no collectives. If another report of
// the same process, with the same wall clock, was aligned by a better method, the snapshot uses that
// alignment. Used only by alignReports(); pure.
#pragma once

#include "core/align/clock_map.h"
#include "core/trace/workspace.h"

namespace lockstep {

// Corrects the maps of snapshots that are aligned by wall clock. If the process has several reports, the one
// with the longest overlap is used; on a tie, the first one.
void alignSnapshots(const Workspace& workspace, ByReport<ClockMap>& maps);

} // namespace lockstep
