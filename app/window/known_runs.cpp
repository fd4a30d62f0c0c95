// SPDX-License-Identifier: Apache-2.0
#include "app/window/known_runs.h"

#include <algorithm>

namespace lockstep {

namespace {

constexpr size_t kMaxRuns = 50;
constexpr int64_t kTwoWeeks_ns = 14LL * 24 * 3600 * 1'000'000'000;

} // namespace

std::vector<KnownRun> listKnownRuns()
{
    std::vector<KnownRun> runs;
    for (RunRecord& record : knownRuns()) {
        const bool isOver = isRunOver(record);
        runs.push_back({std::move(record), isOver});
        if (runs.size() == kMaxRuns) break;
    }
    return runs;
}

const KnownRun* unfinishedRun(const std::vector<KnownRun>& runs, int64_t now_ns)
{
    const auto found = std::ranges::find_if(runs, [now_ns](const KnownRun& run) {
        return !run.isOver && now_ns - run.record.started_ns < kTwoWeeks_ns;
    });
    return found == runs.end() ? nullptr : &*found;
}

} // namespace lockstep
