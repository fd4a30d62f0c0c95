// SPDX-License-Identifier: Apache-2.0
// `lockstep --batch PLAN`: exports over more reports than one process reads in good time. Tasks, which are
// processes here or a Slurm job array, leave a result for each report in OUTPUT/.batch; the export then maps
// those instead of reading the reports. So its files are, byte for byte, what --export over all inputs
// writes. What failed is run again, what is whole is not, in this start and in the next.
#pragma once

#include <functional>

#include "app/cli.h"
#include "app/export_command.h"

namespace lockstep {

// Makes the files of a line of task exportFiles from inputs that are prepared; returns an exitStatus.
using ExportPrepared = std::function<int(const CommandLine& line, const PreparedInputs& prepared)>;

// line.session is the plan. Enters the plan's folder: paths are from there. Returns an exitStatus; kPart also
// where reports are missing because no task brought them.
int runBatch(const CommandLine& line, const ExportPrepared& exportPrepared);

// line.batchTask of the batch folder that is line's one input: leaves the results that its task still lacks.
// Returns kComplete where all are there, kPart or kNothing where reports failed, kUsage for a task list that
// is not this program's.
int runBatchTask(const CommandLine& line, const Workers& workers, MemoryBudget& memory);

} // namespace lockstep
