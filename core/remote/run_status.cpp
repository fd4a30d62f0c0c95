// SPDX-License-Identifier: Apache-2.0
#include "core/remote/run_status.h"

#include <algorithm>
#include <array>

namespace lockstep {

std::string_view hostStateName(HostState state)
{
    static constexpr std::array<std::string_view, 10> kNames{"waiting", "connecting", "starting", "pending",
                                                             "running", "link lost",  "stopping", "ended",
                                                             "failed",  "unreachable"};
    return kNames[static_cast<size_t>(state)];
}

bool isFinal(HostState state)
{
    return state >= HostState::ended;
}

bool costsReports(const RunProblem& problem)
{
    return problem.word == "still_running" || problem.word == "shared_folder" ||
           problem.word == kRequeuedProblem;
}

const RunProblem* loggedCause(const HostStatus& status)
{
    const auto cause =
        std::find_if(status.problems.rbegin(), status.problems.rend(),
                     [](const RunProblem& one) { return one.isOfLog && one.word != kRankFailedProblem; });
    return cause == status.problems.rend() ? nullptr : &*cause;
}

void noteClockPort(HostStatus& status, const RunEvent& event)
{
    if (event.kind != EventKind::clockExchange || event.word != "listening") return;
    status.clockPort = event.port >= 1 && event.port <= 65'535 ? event.port : 0;
    status.clockAddresses = event.addresses;
}

std::string_view runStateName(RunState state)
{
    static constexpr std::array<std::string_view, 6> kNames{"idle",     "launching", "running",
                                                            "stopping", "ended",     "detached"};
    return kNames[static_cast<size_t>(state)];
}

} // namespace lockstep
