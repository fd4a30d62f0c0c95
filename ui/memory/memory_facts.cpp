// SPDX-License-Identifier: Apache-2.0
#include "ui/memory/memory_facts.h"

namespace lockstep {

namespace {

constexpr size_t kMaxFailures = 8;

} // namespace

Result<std::shared_ptr<const MemoryFacts>> memoryFacts(const MemorySource& source, const Progress& progress)
{
    auto out = std::make_shared<MemoryFacts>();
    const DeviceReplay& device = source.device();
    const MemorySnapshot& snapshot = source.snapshot();
    out->peakPool = fragmentationOf(stateAt(device, device.peaks.active.moment));
    LOCKSTEP_TRY(progress.check());
    for (const uint32_t row : device.rows)
        out->failureCount += snapshot.entries.action[row] == MemoryAction::outOfMemory;
    if (out->failureCount > 0) {
        out->failures = outOfMemoryCauses(source.memory->replay, device, 0, kMaxFailures);
        if (!out->failures.empty())
            out->failureText = outOfMemoryText(out->failures.front(), snapshot, source.report->strings);
    }
    LOCKSTEP_TRY(progress.check());
    out->steps = stepMoments(*source.report, device, "step");
    out->growing = growingStacks(device, out->steps, 0, TrendRule(), kMaxSuspects);
    LOCKSTEP_TRY(progress.check());
    out->unfreed = unfreedStacks(device, {1, device.lastMoment() + 1});
    std::vector<int64_t> allocated;
    for (const MemoryMoment step : out->steps)
        allocated.push_back(device.levelsAt(step).allocated);
    out->trend = memoryTrend(allocated, TrendRule());
    return std::shared_ptr<const MemoryFacts>(std::move(out));
}

} // namespace lockstep
