// SPDX-License-Identifier: Apache-2.0
// MadeRun: a Run that was made on a worker, as making one writes and reads files, on its way to the thread
// that is to own it. Nobody may take it: then it goes, and the run is as if it had been let go of. Any
// thread.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/remote/run.h"

class QThread;

namespace lockstep {

struct MadeRun {
    RunOptions options;
    std::unique_ptr<Run> run;
    bool isOver = false; // it was over before it was made

    MadeRun() = default;
    MadeRun(const MadeRun&) = delete;
    MadeRun& operator=(const MadeRun&) = delete;
    ~MadeRun();
};

using MadeRunPtr = std::shared_ptr<MadeRun>;

// Changes a plan before it is run; called on any thread.
using AdaptPlan = std::function<void(LaunchPlan&)>;

// A new run by the plan that follows from the facts, adapted; errors as planLaunch() and Run::create().
Result<MadeRunPtr> makeNewRun(const SessionConfig& config, const std::vector<HostFacts>& facts,
                              const RunOptions& options, const AdaptPlan& adapt, QThread* owner);
// One that was started before; id as findRun() takes it. Errors as findRun() and Run::reopen().
Result<MadeRunPtr> makeKnownRun(const std::string& id, const RunOptions& options, QThread* owner);

} // namespace lockstep
