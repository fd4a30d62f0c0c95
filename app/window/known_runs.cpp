// SPDX-License-Identifier: Apache-2.0
#include "app/window/known_runs.h"

#include <algorithm>

#include "core/remote/clock_exchange.h"

namespace lockstep {

namespace {

constexpr size_t kMaxRuns = 50;
constexpr int64_t kTwoWeeks_ns = 14LL * 24 * 3600 * 1'000'000'000;

} // namespace

std::vector<KnownRun> listKnownRuns()
{
    const int64_t now_ns = epochNow_ns();
    std::vector<KnownRun> runs;
    for (RunRecord& record : knownRuns()) {
        const StoredEnd end = storedEnd(record);
        const uint64_t size_bytes = storedBytes(record);
        const bool isOver = end != StoredEnd::none;
        const bool isStale = !isOver && now_ns - record.started_ns >= kTwoWeeks_ns;
        const int64_t lastSeen_ns = lastStored_ns(record);
        runs.push_back({std::move(record), isOver, end, size_bytes, lastSeen_ns, isStale});
        if (runs.size() == kMaxRuns) break;
    }
    return runs;
}

const KnownRun* unfinishedRun(const std::vector<KnownRun>& runs)
{
    const auto found =
        std::ranges::find_if(runs, [](const KnownRun& run) { return !run.isOver && !run.isStale; });
    return found == runs.end() ? nullptr : &*found;
}

} // namespace lockstep
