// SPDX-License-Identifier: Apache-2.0
// The runs that this user started from this machine, as the window lists them. Reads small files of the state
// folder; off the UI thread.
#pragma once

#include <vector>

#include "core/remote/kept_runs.h"
#include "ui/run/run_list.h"

namespace lockstep {

// Newest first, at most 50.
std::vector<KnownRun> listKnownRuns();
// The newest that goes on and began within the last two weeks; nullptr where there is none.
const KnownRun* unfinishedRun(const std::vector<KnownRun>& runs, int64_t now_ns);

} // namespace lockstep
