// SPDX-License-Identifier: Apache-2.0
// Measures the replay of a long history: time relative to a plain pass over its entries, bytes per entry
// relative to the snapshot's own, and the cost of a frame of areas, a move of the cursor and the flame graph
// of a peak.
#include <chrono>
#include <cstdio>
#include <cstring>

#include "core/memory/allocations.h"
#include "core/memory/allocator_state.h"
#include "core/memory/memory_layout.h"
#include "tests/bench/bench.h"
#include "tests/support/training_history.h"

namespace lockstep::memory_replay_bench {

namespace {

template<class Work>
double millisecondsOf(Work work)
{
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

int bench(int argc, char** argv)
{
    const bool isSmoke = argc > 1 && std::strcmp(argv[1], "--smoke") == 0;
    const auto snapshot = test::trainingHistory(isSmoke ? 50'000 : 1'000'000);
    const MemoryEntryTable& entries = snapshot->entries;
    const auto count = static_cast<double>(entries.size());
    uint64_t sum = 0;
    const double bare_ms = millisecondsOf([&] {
        for (size_t row = 0; row < entries.size(); ++row)
            sum +=
                entries.size_bytes[row] + entries.address[row] + static_cast<uint64_t>(entries.action[row]);
    });
    Result<AllocatorReplay> replay = makeError(ErrorKind::invalid, "");
    const double replay_ms =
        millisecondsOf([&] { replay = replayAllocator(snapshot, AllocatorRules(), Progress()); });
    if (!replay) return 1;
    std::printf(
        "replay: %.0f entries in %.0f ms, %.0f ns an entry, %.0f times a bare pass (%.2f ms, sum %llu)\n",
        count, replay_ms, replay_ms * 1e6 / count, replay_ms / bare_ms, bare_ms,
        static_cast<unsigned long long>(sum % 1000));
    std::printf("memory: %.1f bytes an entry beside the snapshot's %.1f\n",
                static_cast<double>(replay->residentBytes()) / count,
                static_cast<double>(snapshot->residentBytes()) / count);
    const DeviceReplay& device = replay->devices[0];
    const MemoryMoment peak = device.peaks.active.moment;
    const std::vector<MemoryCategory> categories(snapshot->stackCount(), MemoryCategory::other);
    MemoryLayoutRequest request;
    request.columns = columnsOfMoments(0, device.lastMoment(), 3840);
    for (const auto& [by, name] :
         {std::pair(MemoryGrouping::block, "blocks"), std::pair(MemoryGrouping::stack, "stacks"),
          std::pair(MemoryGrouping::category, "categories")}) {
        request.by = by;
        size_t areas = 0;
        const double layout_ms = millisecondsOf([&] {
            areas = layOutMemory(device, request, categories, Progress()).value().stack.areas.size();
        });
        std::printf("areas by %s, 3840 columns: %zu areas in %.1f ms\n", name, areas, layout_ms);
    }
    const double state_ms = millisecondsOf([&] { sum += stateAt(device, peak).blocks.size(); });
    const double flame_ms = millisecondsOf([&] {
        FlameRequest flame;
        flame.moment = peak;
        sum += flameTree(device, *snapshot, flame).size();
    });
    const double uses_ms = millisecondsOf([&] { sum += stackUses(device).size(); });
    std::printf(
        "a move of the scrubber %.1f ms (target 16), flame tree of the peak %.1f ms, table by stack %.1f ms "
        "(%llu)\n",
        state_ms, flame_ms, uses_ms, static_cast<unsigned long long>(sum % 10));
    return device.peaks.active.levels.active > 0 ? 0 : 1;
}

const test::Bench kBench("memory_replay_bench", bench);

} // namespace

} // namespace lockstep::memory_replay_bench
