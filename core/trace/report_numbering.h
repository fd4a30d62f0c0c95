// SPDX-License-Identifier: Apache-2.0
// ReportNumbering renumbers entities and strings that a reader's workers found in any order, so that the same
// file always yields the same report. Used only by ReportFreezer; one thread.
#pragma once

#include "core/base/progress.h"
#include "core/trace/report.h"

namespace lockstep {

// Sorts processes by key, and threads and devices by process and their own number (threads and devices of the
// machine come last). Updates all references. Call it before tracks are ordered.
void numberEntities(Report& report);

// Numbers strings by the first row that uses them: entities, tracks, slices in order, and so on. Unused
// strings are dropped; views into the old pool become invalid. A report with a memory snapshot keeps its
// string IDs, because a single worker assigned them in file order and the snapshot refers to them. Base names
// of GPU kernels that are not in the report are dropped. The only possible error is ErrorKind::canceled; the
// report is then unusable.
Status numberStrings(Report& report, const Progress& progress);

} // namespace lockstep
