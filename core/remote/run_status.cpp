// SPDX-License-Identifier: Apache-2.0
#include "core/remote/run_status.h"

#include <array>

namespace lockstep {

std::string_view hostStateName(HostState state)
{
    static constexpr std::array<std::string_view, 9> kNames{"waiting", "connecting", "starting",
                                                            "running", "link lost",  "stopping",
                                                            "ended",   "failed",     "unreachable"};
    return kNames[static_cast<size_t>(state)];
}

bool isFinal(HostState state)
{
    return state >= HostState::ended;
}

std::string_view runStateName(RunState state)
{
    static constexpr std::array<std::string_view, 6> kNames{"idle",     "launching", "running",
                                                            "stopping", "ended",     "detached"};
    return kNames[static_cast<size_t>(state)];
}

} // namespace lockstep
