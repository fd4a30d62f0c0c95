// SPDX-License-Identifier: Apache-2.0
// Derives an identity from the content of a report, in addition to what the reader stored in
// Report::identity.
#pragma once

#include <set>

#include "core/trace/report.h"

namespace lockstep {

// Derives the identity from RANK, LOCAL_RANK, WORLD_SIZE, SLURM_PROCID, OMPI_COMM_WORLD_RANK, ... among the
// report's facts. The part of a fact's name up to the last '.', ' ' or ':' is ignored. Under Ray, Slurm's
// values belong to the node daemon and are not used.
Identity identityFromEnvironment(const Report& report);

// Derives the identity from process names such as "ray::WorkerDict_0:3" (local rank after the colon), but
// only if exactly one process has such a name.
Identity identityFromProcesses(const Report& report);

// Derives the identity from NVTX and annotation names: the stage labels of verl's workers and controller, and
// NeMo RL's worker names.
Identity identityFromRanges(const Report& report);

// Returns every N of ProfilerStep#N. Returns none if an RL framework is detected, because such frameworks
// count their own steps.
std::set<int> profilerSteps(const Report& report);

} // namespace lockstep
