// SPDX-License-Identifier: Apache-2.0
// ReportNumbering: numbers for what the workers of a reader met in any order, so that the same file gives the
// same report whichever worker was faster. Used by ReportFreezer only; one thread.
#pragma once

#include "core/base/progress.h"
#include "core/trace/report.h"

namespace lockstep {

// Puts processes in order of their key, threads and devices in that of their process and their own number
// (those of the machine last), and rewrites what refers to them. Before the tracks are ordered.
void numberEntities(Report& report);

// Numbers texts by the first row that uses them: entities, tracks, slices in their order, and so on. Texts
// that nothing uses are dropped; views into the old pool end. A report with a memory snapshot keeps its
// numbers: its one worker gave them in the order of the file, and the snapshot refers to them. Base names of
// kernels that the report does not hold are dropped. canceled is the only error; the report is unusable then.
Status numberStrings(Report& report, const Progress& progress);

} // namespace lockstep
