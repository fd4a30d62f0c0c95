// SPDX-License-Identifier: Apache-2.0
// The runs that this user started from this machine. The functions read small files in the state folder; call
// them off the UI thread.
#pragma once

#include <vector>

#include "core/remote/run_pruning.h"
#include "ui/run/run_list.h"

namespace lockstep {

// Returns the runs, newest first, at most 50.
std::vector<KnownRun> listKnownRuns();
// Returns the newest unfinished run started within the last two weeks, or nullptr.
const KnownRun* unfinishedRun(const std::vector<KnownRun>& runs, int64_t now_ns);

} // namespace lockstep
