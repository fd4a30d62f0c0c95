// SPDX-License-Identifier: Apache-2.0
// `lockstep --batch PLAN`: exports from more reports than one process can read in reasonable time. Tasks
// (local processes or a Slurm job array) write a result for each report to OUTPUT/.batch. The export then
// maps these results instead of reading the reports, so that the exported files are byte for byte identical
// to the files that --export writes for all inputs. Failed reports are retried in the same invocation and in
// later ones; finished reports are not read again.
#pragma once

#include <functional>

#include "app/cli/cli.h"
#include "app/cli/export_command.h"

namespace lockstep {

// Runs an export of prepared inputs; line.task is exportFiles. Returns an exitStatus.
using ExportPrepared = std::function<int(const CommandLine& line, const PreparedInputs& prepared)>;

// Runs the batch of the plan in line.session. Changes to the plan's folder, because paths in the plan are
// relative to it. Returns an exitStatus; kPart also if reports are missing because no task read them.
int runBatch(const CommandLine& line, const ExportPrepared& exportPrepared);

// Runs the task with the number line.batchTask of the batch folder, which is the only input on the command
// line. Writes the results of this task that are still missing. Returns kComplete if all results exist, kPart
// or kNothing if reports failed, kUsage if the task list was not written by this program.
int runBatchTask(const CommandLine& line, const Workers& workers, MemoryBudget& memory);

} // namespace lockstep
