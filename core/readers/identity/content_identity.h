// SPDX-License-Identifier: Apache-2.0
// What the content of a report says about whose it is, beyond what its reader put into Report::identity.
#pragma once

#include <set>

#include "core/trace/report.h"

namespace lockstep {

// RANK, LOCAL_RANK, WORLD_SIZE, SLURM_PROCID, OMPI_COMM_WORLD_RANK ... among the report's facts, whatever
// stands before the last '.', ' ' or ':' of a fact's name. Under Ray, Slurm's numbers are the node daemon's
// and are not used.
Identity identityFromEnvironment(const Report& report);

// Process names such as "ray::WorkerDict_0:3" (local rank behind the colon). Only where one process tells.
Identity identityFromProcesses(const Report& report);

// NVTX and annotation names: the stage labels of verl's workers and controller, NeMo RL's worker names.
Identity identityFromRanges(const Report& report);

// Every N of ProfilerStep#N, where no RL framework shows: those count steps of their own.
std::set<int> profilerSteps(const Report& report);

} // namespace lockstep
