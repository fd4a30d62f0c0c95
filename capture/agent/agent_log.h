// SPDX-License-Identifier: Apache-2.0
// The agent's notes of its own doings (started, told to stop, disk full, how it ended): in memory while it
// watches a run, then in agent.log of the run's folder. events.jsonl tells what the run did; this tells what
// the watching did, also where the disk had no room for it at the time. Never a program's output or a
// secret's value.
#pragma once

#include "capture/agent/node_plan.h"
#include "capture/agent/run_folder.h"
#include "core/base/log_ring.h"

namespace lockstep::agent {

// One for the process.
LogRing& agentLog();

// Behind what an agent before this one left there; of much the end stays. Called once, unless it failed.
// Values of secrets that a note took over from an error are masked. io.
Status writeAgentLog(const RunFolder& folder, const Secrets& secrets);

} // namespace lockstep::agent
