// SPDX-License-Identifier: Apache-2.0
// The runs that this user started from this machine. The functions read small files in the state folder; call
// them off the UI thread.
#pragma once

#include <vector>

#include "core/remote/run_pruning.h"
#include "ui/run/run_list.h"

namespace lockstep {

// Returns the runs, newest first, at most 50. Unfinished runs that were started at least two weeks ago are
// stale.
std::vector<KnownRun> listKnownRuns();
// Returns the newest unfinished run that is not stale, or nullptr.
const KnownRun* unfinishedRun(const std::vector<KnownRun>& runs);

} // namespace lockstep
