// SPDX-License-Identifier: Apache-2.0
// The agent's log of its own actions (start, stop request, full disk, end). It is kept in memory while the
// agent watches a run and is then written to agent.log in the run folder. events.jsonl records what the run
// did; this log records what the agent did, including at times when the disk was full. It never contains
// output of programs or values of secrets.
#pragma once

#include "capture/agent/node_plan.h"
#include "capture/agent/run_folder.h"
#include "core/base/log_ring.h"

namespace lockstep::agent {

// Returns the log of this process.
LogRing& agentLog();

// Appends the log to the text that earlier agents wrote. If the log is long, only its end is kept. Call this
// function once, or again after a failure. Masks values of secrets that appear in error messages. Returns io
// on failure.
Status writeAgentLog(const RunFolder& folder, const Secrets& secrets);

} // namespace lockstep::agent
