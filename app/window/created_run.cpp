// SPDX-License-Identifier: Apache-2.0
#include "app/window/created_run.h"

#include "app/window/known_runs.h"

namespace lockstep {

// If the run was not taken, deletes it on the thread to which it belongs.
CreatedRun::~CreatedRun()
{
    if (run) run.release()->deleteLater();
}

Result<CreatedRunPtr> makeNewRun(const SessionConfig& config, const std::vector<HostFacts>& facts,
                                 const RunOptions& options, const AdaptPlan& adapt, QThread* owner)
{
    auto made = std::make_shared<CreatedRun>();
    made->options = options;
    LaunchPlan plan = LOCKSTEP_TRY(planLaunch(config, facts));
    if (adapt) adapt(plan);
    made->run = LOCKSTEP_TRY(Run::create(config, plan, facts, options));
    made->run->moveToThread(owner);
    return made;
}

Result<CreatedRunPtr> makeKnownRun(const std::string& id, const RunOptions& options, QThread* owner)
{
    auto made = std::make_shared<CreatedRun>();
    made->options = options;
    const RunRecord record = LOCKSTEP_TRY(findRun(id));
    made->run = LOCKSTEP_TRY(Run::reopen(record, options));
    made->isOver = isRunOver(record);
    made->run->moveToThread(owner);
    return made;
}

} // namespace lockstep
