// SPDX-License-Identifier: Apache-2.0
// CreatedRun transfers a Run that was created on a worker (creation reads and writes files) to the thread
// that will own it. If the owner does not take the Run, it is deleted on that thread, and the run continues
// without being watched. Any thread.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/remote/run.h"

class QThread;

namespace lockstep {

struct CreatedRun {
    RunOptions options;
    std::unique_ptr<Run> run;
    bool isOver = false; // true if the run had ended before it was attached

    CreatedRun() = default;
    CreatedRun(const CreatedRun&) = delete;
    CreatedRun& operator=(const CreatedRun&) = delete;
    ~CreatedRun();
};

using CreatedRunPtr = std::shared_ptr<CreatedRun>;

// Changes a plan before it is launched. Called on any thread.
using AdaptPlan = std::function<void(LaunchPlan&)>;

// Creates a new run from the session and the host information, with the plan changed by `adapt`. Errors: same
// as planLaunch() and Run::create().
Result<CreatedRunPtr> makeNewRun(const SessionConfig& config, const std::vector<HostFacts>& facts,
                                 const RunOptions& options, const AdaptPlan& adapt, QThread* owner);
// Reopens a run that was started before; `id`: same syntax as for findRun(). Errors: same as findRun() and
// Run::reopen().
Result<CreatedRunPtr> makeKnownRun(const std::string& id, const RunOptions& options, QThread* owner);

} // namespace lockstep
