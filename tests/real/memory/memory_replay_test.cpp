// SPDX-License-Identifier: Apache-2.0
// Compares replays of the public snapshots with a plain one that counts back from the dump, entry by entry.
#include <map>

#include "core/memory/allocations.h"
#include "core/memory/allocator_state.h"
#include "core/readers/reader.h"
#include "tests/support/made_snapshot.h"
#include "tests/support/places.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using lockstep::test::noteCount;
using lockstep::test::sharedData;

namespace {

struct PlainLevels {
    std::vector<int64_t> requested, reserved; // by moment
    std::map<uint64_t, int64_t> liveAtPeak;   // address -> requested, at the first peak of requested
    MemoryMoment peak = 0;
};

// Goes backwards from the dump: the block of a free existed before it.
PlainLevels countedBack(const MemorySnapshot& snapshot, int32_t device)
{
    std::map<uint64_t, int64_t> live;
    int64_t requested = 0, reserved = 0;
    for (size_t s = 0; s < snapshot.segments.size(); ++s) {
        if (snapshot.segments.device[s] != device) continue;
        reserved += int64_t(snapshot.segments.total_bytes[s]);
        for (uint32_t b = 0; b < snapshot.segments.blockCount[s]; ++b) {
            const uint32_t block = snapshot.segments.firstBlock[s] + b;
            if (snapshot.blocks.state[block] == BlockState::inactive) continue;
            live[snapshot.blocks.address[block]] = int64_t(snapshot.blocks.requested_bytes[block]);
            requested += int64_t(snapshot.blocks.requested_bytes[block]);
        }
    }
    PlainLevels out;
    out.requested.push_back(requested);
    out.reserved.push_back(reserved);
    std::vector<std::map<uint64_t, int64_t>> history{live};
    const MemoryEntryTable& e = snapshot.entries;
    for (size_t row = e.size(); row-- > 0;) {
        if (e.device[row] != device) continue;
        const auto size = int64_t(e.size_bytes[row]);
        const MemoryAction action = e.action[row];
        if (action == MemoryAction::alloc) {
            requested -= size;
            live.erase(e.address[row]);
        }
        if (action == MemoryAction::freeCompleted) {
            requested += size;
            live[e.address[row]] = size;
        }
        const bool takes = action == MemoryAction::segmentAlloc || action == MemoryAction::segmentMap;
        const bool gives = action == MemoryAction::segmentFree || action == MemoryAction::segmentUnmap;
        reserved += gives ? size : takes ? -size : 0;
        out.requested.push_back(requested);
        out.reserved.push_back(reserved);
        if (requested >= *std::ranges::max_element(out.requested)) out.liveAtPeak = live;
    }
    std::ranges::reverse(out.requested);
    std::ranges::reverse(out.reserved);
    out.peak = static_cast<MemoryMoment>(std::ranges::max_element(out.requested) - out.requested.begin());
    return out;
}

// Compares everything that the plain count gives; returns the number of compared moments.
size_t compare(const Report& report, const AllocatorReplay& replay)
{
    size_t compared = 0;
    for (const DeviceReplay& device : replay.devices) {
        const PlainLevels plain = countedBack(*report.memory, device.device);
        device.forEachMoment(0, device.lastMoment(), [&](MemoryMoment moment, const MemoryLevels& levels) {
            compared += levels.requested == plain.requested[moment] &&
                        levels.reserved == plain.reserved[moment] && levels.requested <= levels.active &&
                        levels.active <= levels.reserved;
        });
        if (device.peaks.requested.moment != plain.peak) return 0;
        std::map<uint64_t, int64_t> live;
        for (const BlockLifeId life : device.activeAt(plain.peak))
            live[device.blocks.address[life.value]] = int64_t(device.blocks.requested_bytes[life.value]);
        if (live != plain.liveAtPeak) return 0;
        if (stateAt(device, plain.peak).outsideSegments > 0) return 0;
    }
    return compared;
}

} // namespace

class MemoryReplayTest : public QObject {
    Q_OBJECT

  private slots:
    void cudaSnapshot()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        const auto report =
            readReport(sharedData("memory/forward_cuda.pickle"), Progress(test::workers())).value();
        const AllocatorReplay replay = replayAllocator(*report, Progress()).value();
        QCOMPARE(compare(*report, replay), report->memory->entries.size() + 1);
        const DeviceReplay& device = replay.devices.at(0);
        QCOMPARE(device.peaks.requested.levels.requested, int64_t(43754773506));
        QCOMPARE(device.levelsAt(device.lastMoment()).allocated, int64_t(44607570432));
        QCOMPARE(device.levelsAt(device.lastMoment()).active, int64_t(44607570432));
        QCOMPARE(noteCount(replay, "memory.dump_disagrees"), uint64_t(0));
        QCOMPARE(noteCount(replay, "memory.blocks_overlap"), uint64_t(0));
        QCOMPARE(noteCount(replay, "memory.block_not_in_dump"), uint64_t(0));
        // The stacks that allocated most of the peak, counted with Python: two stacks of one size, one line
        // apart.
        const std::vector<StackUse> uses = stackUses(device);
        const auto known =
            std::ranges::find_if(uses, [](const StackUse& use) { return use.stack.isValid(); });
        QVERIFY(known != uses.end());
        QCOMPARE(known->peakBlocks, uint64_t(435));
        QVERIFY(known->requested_bytes >= 7992940800);
        const std::string where = stackText(*report->memory, report->strings, known->stack);
        QVERIFY2(where.ends_with("/cs336_systems/adapters.py:887 step") ||
                     where.ends_with("/cs336_systems/adapters.py:888 step"),
                 where.c_str());
    }

    void npuSnapshots()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        for (const char* name :
             {"memory/snapshot_expandable.pkl", "memory/snapshot_with_multi_devices.pkl"}) {
            const auto report = readReport(sharedData(name), Progress(test::workers())).value();
            const AllocatorReplay replay = replayAllocator(*report, Progress()).value();
            QCOMPARE(replay.rules.padding_bytes, uint64_t(32));
            QCOMPARE(compare(*report, replay), report->memory->entries.size() + replay.devices.size());
            for (const ImportNote& note : replay.notes.all())
                QVERIFY2(note.severity == NoteSeverity::info, note.kind.c_str());
        }
    }

    void emptyHistory()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        const auto report =
            readReport(sharedData("memory/verl_mem.pickle"), Progress(test::workers())).value();
        const AllocatorReplay replay = replayAllocator(*report, Progress()).value();
        const DeviceReplay& device = replay.devices.at(0);
        QCOMPARE(device.lastMoment(), MemoryMoment(0));
        QCOMPARE(device.levelsAt(0).active, int64_t(25513411584));
        QCOMPARE(size_t(std::ranges::count(device.blocks.freeRequested, MemoryMoment(0))), size_t(9));
        const AllocatorState state = stateAt(device, 0);
        QCOMPARE(state.segments.size(), size_t(127));
        QCOMPARE(fragmentationOf(state).free_bytes, uint64_t(device.levelsAt(0).unused()));
    }
};

LOCKSTEP_TEST(MemoryReplayTest, "memory_replay_test")
#include "memory_replay_test.moc"
