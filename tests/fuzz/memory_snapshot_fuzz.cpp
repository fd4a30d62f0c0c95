// SPDX-License-Identifier: Apache-2.0
// Reads any bytes as an allocator snapshot or memory timeline: the result is an error or a valid report whose
// history can be replayed.
#include <cstdlib>

#include "core/memory/allocations.h"
#include "core/memory/allocator_state.h"
#include "core/readers/memory_snapshot/memory_snapshot_reader.h"
#include "core/readers/workspace_file/stored_report.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    using namespace lockstep;
    const auto report = readMemorySnapshot({reinterpret_cast<const char*>(data), size}, {}, Progress());
    if (report && !checkReport(**report, Workers())) std::abort();
    if (!report || !(*report)->memory) return 0;
    const auto replay = replayAllocator(**report, Progress());
    if (!replay) std::abort();
    for (const DeviceReplay& device : replay->devices) {
        const AllocatorState state = stateAt(device, device.lastMoment());
        if (fragmentationOf(state).free_bytes > uint64_t(device.peaks.reserved.levels.reserved)) std::abort();
        int64_t atPeak = 0;
        for (const StackUse& use : stackUses(device))
            atPeak += use.peak_bytes;
        if (atPeak != device.peaks.active.levels.active) std::abort();
    }
    return 0;
}
