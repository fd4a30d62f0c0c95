// SPDX-License-Identifier: Apache-2.0
#include "core/readers/memory_snapshot/snapshot_counters.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/trace/memory_snapshot_table.h"

namespace lockstep {

namespace {

// Sizes in a hostile file may have any sum, so levels wrap around instead of overflowing.
using Level = int64_t;

Level plus(Level a, uint64_t b)
{
    return static_cast<Level>(static_cast<uint64_t>(a) + b);
}

Level minus(Level a, uint64_t b)
{
    return static_cast<Level>(static_cast<uint64_t>(a) - b);
}

Level requestedAfter(Level level, MemoryAction action, uint64_t size_bytes)
{
    if (action == MemoryAction::alloc) return plus(level, size_bytes);
    return action == MemoryAction::freeRequested ? minus(level, size_bytes) : level;
}

// Computes the same for a history without free_requested (skip_actions of the recorder).
Level requestedAfterCompleted(Level level, MemoryAction action, uint64_t size_bytes)
{
    if (action == MemoryAction::alloc) return plus(level, size_bytes);
    return action == MemoryAction::freeCompleted ? minus(level, size_bytes) : level;
}

Level reservedAfter(Level level, MemoryAction action, uint64_t size_bytes)
{
    switch (action) {
    case MemoryAction::segmentAlloc:
    case MemoryAction::segmentMap:
        return plus(level, size_bytes);
    case MemoryAction::segmentFree:
    case MemoryAction::segmentUnmap:
        return minus(level, size_bytes);
    default:
        return level;
    }
}

// The levels of one device at the time of the dump.
struct LevelsAtDump {
    Level requested = 0; // requested bytes of allocated blocks
    // allocated bytes: rounded sizes, or the size of an entire block that was not split
    Level allocated = 0;
    Level blocks = 0;   // sum of the sizes of the allocated blocks
    Level reserved = 0; // sum of the sizes of the segments
};

LevelsAtDump levelsAtDump(const MemorySnapshot& snapshot, int32_t device)
{
    LevelsAtDump levels;
    for (size_t segment = 0; segment < snapshot.segments.size(); ++segment) {
        if (snapshot.segments.device[segment] != device) continue;
        levels.reserved = plus(levels.reserved, snapshot.segments.total_bytes[segment]);
        uint64_t blocks_bytes = 0;
        const size_t first = snapshot.segments.firstBlock[segment];
        for (size_t block = first; block < first + snapshot.segments.blockCount[segment]; ++block) {
            if (snapshot.blocks.state[block] != BlockState::allocated) continue;
            levels.requested = plus(levels.requested, snapshot.blocks.requested_bytes[block]);
            blocks_bytes += snapshot.blocks.size_bytes[block];
        }
        levels.blocks = plus(levels.blocks, blocks_bytes);
        // Old files do not have allocated_size.
        const uint64_t recorded_bytes = snapshot.segments.allocated_bytes[segment];
        levels.allocated = plus(levels.allocated, recorded_bytes > 0 ? recorded_bytes : blocks_bytes);
    }
    return levels;
}

std::string placeOf(int32_t device)
{
    return device == kHostMemory ? "host memory" : "memory";
}

// Checks only once per many rows, so that the cost is negligible.
bool isStoppedAt(size_t row, const Progress& progress)
{
    return row % (size_t(1) << 16) == 0 && progress.isCanceled();
}

using Step = Level (*)(Level, MemoryAction, uint64_t);

void addCounter(const MemorySnapshot& snapshot, const CounterTrack& track, int32_t device, Level atDump,
                Step step, ReportBuilder& builder, const Progress& progress)
{
    const MemoryEntryTable& entries = snapshot.entries;
    Level net = 0;
    for (size_t row = 0; row < entries.size(); ++row) {
        if (isStoppedAt(row, progress)) return;
        if (entries.device[row] == device) net = step(net, entries.action[row], entries.size_bytes[row]);
    }
    Level level = minus(atDump, static_cast<uint64_t>(net));
    Level lowest = level;
    std::vector<std::pair<int64_t, double>> samples;
    for (size_t row = 0; row < entries.size(); ++row) {
        if (isStoppedAt(row, progress)) return;
        if (entries.device[row] != device) continue;
        if (samples.empty()) samples.emplace_back(entries.time_ns[row], static_cast<double>(level));
        const Level next = step(level, entries.action[row], entries.size_bytes[row]);
        if (next == level) continue;
        level = next;
        lowest = std::min(lowest, level);
        samples.emplace_back(entries.time_ns[row], static_cast<double>(std::max<Level>(0, level)));
    }
    if (samples.empty()) return;
    samples.front().second = std::max(0.0, samples.front().second);
    if (lowest < 0) {
        builder.report().notes.add(
            "memory.level_below_zero", NoteSeverity::warning,
            "the history and the state at the dump are inconsistent: some entries were not recorded; "
            "negative sums are shown as 0",
            "device " + std::to_string(device));
    }
    builder.addSamples(builder.addCounterTrack(track), std::move(samples));
}

} // namespace

void addMemoryTotals(const MemorySnapshot& snapshot, std::vector<Fact>& facts)
{
    for (const int32_t device : snapshot.devices) {
        const LevelsAtDump levels = levelsAtDump(snapshot, device);
        const std::string where =
            device == kHostMemory ? placeOf(device) : "device " + std::to_string(device) + " memory";
        const auto add = [&](const char* what, Level level) {
            facts.emplace_back(where + " " + what + " at the dump", std::to_string(level) + " B");
        };
        add("requested", levels.requested);
        add("allocated", levels.allocated);
        add("reserved", levels.reserved);
    }
}

Status addMemoryCounters(const MemorySnapshot& snapshot, ProcessId process, ReportBuilder& builder,
                         const Progress& progress)
{
    if (snapshot.entries.time_ns.empty()) return {};
    const bool isRounded = recordedSizesOf(snapshot) == RecordedSizes::allocated;
    const bool hasRequests = std::ranges::find(snapshot.entries.action, MemoryAction::freeRequested) !=
                             snapshot.entries.action.end();
    for (const int32_t device : snapshot.devices) {
        LevelsAtDump levels = levelsAtDump(snapshot, device);
        if (isRounded) levels.requested = levels.blocks; // matches the kind of sizes in the history
        const std::string where = placeOf(device);
        CounterTrack track;
        track.process = process;
        if (device != kHostMemory) track.device = builder.device(process, device);
        track.unit = builder.intern("B");
        track.name = builder.intern(where + " requested");
        LOCKSTEP_TRY(progress.check());
        addCounter(snapshot, track, device, levels.requested,
                   hasRequests ? requestedAfter : requestedAfterCompleted, builder, progress);
        LOCKSTEP_TRY(progress.check());
        track.name = builder.intern(where + " reserved");
        addCounter(snapshot, track, device, levels.reserved, reservedAfter, builder, progress);
    }
    return progress.check();
}

} // namespace lockstep
