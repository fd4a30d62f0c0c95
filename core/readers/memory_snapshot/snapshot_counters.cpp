#include "core/readers/memory_snapshot/snapshot_counters.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace lockstep {

namespace {

// Sizes of a hostile file may add up to anything: levels wrap instead of overflowing, and are shown as they
// come out.
using Level = int64_t;

Level plus(Level a, uint64_t b)
{
    return static_cast<Level>(static_cast<uint64_t>(a) + b);
}

Level minus(Level a, uint64_t b)
{
    return static_cast<Level>(static_cast<uint64_t>(a) - b);
}

Level allocatedAfter(Level level, MemoryAction action, uint64_t size_bytes)
{
    if (action == MemoryAction::alloc) return plus(level, size_bytes);
    return action == MemoryAction::freeRequested ? minus(level, size_bytes) : level;
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

// {requested bytes of allocated blocks, bytes of segments} of one device at the dump.
std::pair<Level, Level> levelsAtDump(const MemorySnapshot& snapshot, int32_t device)
{
    Level allocated = 0, reserved = 0;
    for (size_t segment = 0; segment < snapshot.segments.size(); ++segment) {
        if (snapshot.segments.device[segment] != device) continue;
        reserved = plus(reserved, snapshot.segments.total_bytes[segment]);
        const size_t first = snapshot.segments.firstBlock[segment];
        for (size_t block = first; block < first + snapshot.segments.blockCount[segment]; ++block) {
            if (snapshot.blocks.state[block] != BlockState::allocated) continue;
            allocated = plus(allocated, snapshot.blocks.requested_bytes[block]);
        }
    }
    return {allocated, reserved};
}

using Step = Level (*)(Level, MemoryAction, uint64_t);

void addCounter(const MemorySnapshot& snapshot, const CounterTrack& track, int32_t device, Level atDump,
                Step step, ReportBuilder& builder)
{
    const MemoryEntryTable& entries = snapshot.entries;
    Level net = 0;
    for (size_t row = 0; row < entries.size(); ++row) {
        if (entries.device[row] == device) net = step(net, entries.action[row], entries.size_bytes[row]);
    }
    Level level = minus(atDump, static_cast<uint64_t>(net));
    Level lowest = level;
    std::vector<std::pair<int64_t, double>> samples;
    for (size_t row = 0; row < entries.size(); ++row) {
        if (entries.device[row] != device) continue;
        if (samples.empty()) samples.emplace_back(entries.time_ns[row], static_cast<double>(level));
        const Level next = step(level, entries.action[row], entries.size_bytes[row]);
        if (next == level) continue;
        level = next;
        lowest = std::min(lowest, level);
        samples.emplace_back(entries.time_ns[row], static_cast<double>(level));
    }
    if (samples.empty()) return;
    if (lowest < 0) {
        builder.report().notes.add(
            "memory.level_below_zero", NoteSeverity::warning,
            "the recorded history frees more than the state at the dump explains; levels are "
            "shown as they come out",
            "device " + std::to_string(device));
    }
    builder.addSamples(builder.addCounterTrack(track), std::move(samples));
}

} // namespace

void addMemoryCounters(const MemorySnapshot& snapshot, ProcessId process, ReportBuilder& builder)
{
    if (snapshot.entries.time_ns.empty()) return;
    for (const int32_t device : snapshot.devices) {
        const auto [allocated, reserved] = levelsAtDump(snapshot, device);
        const std::string where = device == kHostMemory ? "host memory" : "memory";
        CounterTrack track;
        track.process = process;
        if (device != kHostMemory) track.device = builder.device(process, device);
        track.unit = builder.intern("B");
        track.name = builder.intern(where + " allocated");
        addCounter(snapshot, track, device, allocated, allocatedAfter, builder);
        track.name = builder.intern(where + " reserved");
        addCounter(snapshot, track, device, reserved, reservedAfter, builder);
    }
}

} // namespace lockstep
