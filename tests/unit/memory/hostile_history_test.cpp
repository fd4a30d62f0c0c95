// SPDX-License-Identifier: Apache-2.0
// Tests impossible histories: how they are resolved, and that they are reported.

#include <limits>

#include "core/memory/allocations.h"
#include "core/memory/allocator_state.h"
#include "core/memory/leaks.h"
#include "core/memory/memory_layout.h"
#include "core/memory/snapshot_difference.h"
#include "tests/support/cpu_timer.h"
#include "tests/support/made_snapshot.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using lockstep::test::kMebi;
using lockstep::test::noteCount;
using lockstep::test::SnapshotMaker;

namespace {

constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();

// Calls everything a replay offers; nothing may crash or hang.
void askEverything(const AllocatorReplay& replay, const StringPool& strings)
{
    for (const DeviceReplay& device : replay.devices) {
        const MemoryMoment last = device.lastMoment();
        const auto categories = stackCategories(*replay.snapshot, strings);
        for (const auto by : {MemoryGrouping::block, MemoryGrouping::stack, MemoryGrouping::category}) {
            MemoryLayoutRequest request;
            request.columns = columnsOfMoments(0, last, 50);
            request.by = by;
            QVERIFY(layOutMemory(device, request, categories, Progress()));
        }
        FlameRequest flame;
        flame.moment = last;
        flameTree(device, *replay.snapshot, flame);
        stackUses(device);
        peakWithout(device, std::vector<bool>(replay.snapshot->stackCount(), true));
        fragmentationOf(stateAt(device, last / 2));
        outOfMemoryCauses(replay, device, 0, 10);
        growingStacks(device, std::vector<MemoryMoment>{0, last / 2, last}, 0, TrendRule(), 10);
        unfreedStacks(device, {0, kNeverFreed});
        const MemoryView view{device, *replay.snapshot, strings, last};
        snapshotDifference(view, view);
        for (size_t life = 0; life < device.blocks.size(); ++life) {
            replay.poolOf(device, BlockLifeId(life));
            replay.streamOf(device, BlockLifeId(life));
            replay.metadataOf(device, BlockLifeId(life));
        }
    }
}

} // namespace

class HostileHistoryTest : public QObject {
    Q_OBJECT

  private slots:
    void freedTwiceCountsOnce()
    {
        SnapshotMaker made;
        made.segment(0x1000, 2 * kMebi).alloc(0x1000, 1000).free(0x1000, 1000).free(0x1000, 1000);
        const AllocatorReplay replay = made.replay();
        QCOMPARE(noteCount(replay, "memory.freed_twice"), uint64_t(2));
        QCOMPARE(replay.devices[0].levelsAt(5).active, int64_t(0));
        QCOMPARE(replay.devices[0].levelsAt(1).active, int64_t(1024));
        askEverything(replay, made.strings());
    }

    void allocatedTwiceEndsTheFirst()
    {
        SnapshotMaker made;
        made.segment(0x1000, 2 * kMebi).alloc(0x1000, 1000).alloc(0x1000, 5000).free(0x1000, 5000);
        const AllocatorReplay replay = made.replay();
        const DeviceReplay& device = replay.devices[0];
        QCOMPARE(noteCount(replay, "memory.handed_out_twice"), uint64_t(1));
        QCOMPARE(device.levelsAt(2), (MemoryLevels{5120, 5120, 5000, 2 * kMebi}));
        QCOMPARE(device.levelsAt(4), (MemoryLevels{0, 0, 0, 2 * kMebi}));
        QCOMPARE(device.activeAt(2).size(), size_t(1));
        QVERIFY((device.blocks.flags[0] & blockFlag::kFreeGuessed) != 0);
        askEverything(replay, made.strings());
    }

    void impossibleSizesAreDropped()
    {
        SnapshotMaker made;
        made.segment(kMax - 10, kMax).block(4096, kMax).block(kMax, kMebi);
        made.alloc(4096, kMax).alloc(kMax, 4096).free(kMax - 1, kMax).alloc(8192, kLargestSize_bytes + 1);
        made.entry(MemoryAction::segmentAlloc, 5, kMax).entry(MemoryAction::segmentFree, kMax, 1);
        made.entry(MemoryAction::segmentMap, 0, 0).entry(MemoryAction::outOfMemory, kMax, kMax);
        for (uint64_t i = 0; i < 20'000; ++i) // each one possible, but not all together
            made.alloc(i * 512, kLargestSize_bytes).entry(MemoryAction::segmentAlloc, i, kLargestSize_bytes);
        const AllocatorReplay replay = made.replay();
        QVERIFY(noteCount(replay, "memory.impossible_size") > 10'000);
        QVERIFY(replay.devices[0].peaks.active.levels.active > 0);
        QVERIFY(replay.devices[0].peaks.reserved.levels.reserved >= 0);
        askEverything(replay, made.strings());
    }

    // Nested blocks that are never split: none may take a whole segment.
    void impossibleSettings()
    {
        SnapshotMaker made;
        made.segment(0, kLargestSize_bytes);
        for (uint64_t i = 0; i < 40'000; ++i)
            made.alloc((40'000 - i) * 512, 1);
        AllocatorRules rules;
        rules.maxSplit_bytes = 1;
        rules.powerOf2Divisions.fill(1 << 16);
        const AllocatorReplay replay = made.replay(rules);
        const MemoryLevels most = replay.devices[0].peaks.active.levels;
        QVERIFY(most.active >= 40'000 * 512 && most.active < int64_t(40'000 * 21 * kMebi));
        askEverything(replay, made.strings());
    }

    void overlapsAreNoted()
    {
        SnapshotMaker made;
        made.segment(0x1000, 40 * kMebi).segment(0x2000, kMebi); // the second inside the first
        made.alloc(0x1000, 8192).alloc(0x2000, 8192).alloc(0x1800, 512);
        const AllocatorReplay replay = made.replay();
        QCOMPARE(noteCount(replay, "memory.segments_overlap"), uint64_t(1));
        QCOMPARE(noteCount(replay, "memory.blocks_overlap"), uint64_t(2));
        QCOMPARE(noteCount(replay, "memory.block_not_in_dump"), uint64_t(3));
        QCOMPARE(replay.devices[0].levelsAt(3).requested, int64_t(8192 + 8192 + 512));
        askEverything(replay, made.strings());
    }

    void segmentsFreedTwiceAndReservedTwice()
    {
        SnapshotMaker made;
        made.entry(MemoryAction::segmentAlloc, 0x10000, kMebi)
            .entry(MemoryAction::segmentAlloc, 0x10000, kMebi);
        made.entry(MemoryAction::segmentFree, 0x10000, kMebi)
            .entry(MemoryAction::segmentFree, 0x10000, kMebi);
        made.entry(MemoryAction::segmentUnmap, 0x90000000, kMebi);
        const AllocatorReplay replay = made.replay();
        QCOMPARE(noteCount(replay, "memory.segment_twice"), uint64_t(1));
        QCOMPARE(noteCount(replay, "memory.segment_free_twice"), uint64_t(1));
        std::vector<int64_t> reserved;
        for (MemoryMoment m = 0; m <= 5; ++m)
            reserved.push_back(replay.devices[0].levelsAt(m).reserved);
        // The last range was mapped before the recording began.
        QCOMPARE(reserved, (std::vector<int64_t>{kMebi, 2 * kMebi, 2 * kMebi, kMebi, kMebi, 0}));
        askEverything(replay, made.strings());
    }

    // Part of an expandable segment is unmapped: the rest continues.
    void unmappedInTheMiddle()
    {
        SnapshotMaker made;
        const uint64_t base = uint64_t(1) << 32;
        made.segment(base, 20 * kMebi, true).segment(base + 40 * kMebi, 20 * kMebi, true);
        made.entry(MemoryAction::segmentMap, base + 20 * kMebi, 40 * kMebi);
        made.alloc(base + 41 * kMebi, 7 * kMebi);
        made.entry(MemoryAction::segmentUnmap, base + 20 * kMebi, 20 * kMebi);
        const AllocatorReplay replay = made.replay();
        const DeviceReplay& device = replay.devices[0];
        QCOMPARE(stateAt(device, 0).segments.size(), size_t(1));
        QCOMPARE(stateAt(device, 1).segments.size(), size_t(1)); // they are adjacent
        QCOMPARE(stateAt(device, 1).segments[0].size_bytes, uint64_t(60 * kMebi));
        QCOMPARE(stateAt(device, 3).segments.size(), size_t(2));
        QCOMPARE(device.levelsAt(3).reserved, int64_t(40 * kMebi));
        QCOMPARE(stateAt(device, 3).segments[1].active_bytes, uint64_t(7 * kMebi));
        QCOMPARE(stateAt(device, 3).outsideSegments, size_t(0));
    }

    void decreasingTimesAreFoundInOrder()
    {
        SnapshotMaker made;
        made.alloc(512, 1).alloc(1024, 1).alloc(1536, 1).alloc(2048, 1);
        made.snapshot().entries.time_ns = {1000, 5000, 2000, 6000};
        const AllocatorReplay replay = made.replay();
        const DeviceReplay& device = replay.devices[0];
        QCOMPARE(noteCount(replay, "memory.time_goes_back"), uint64_t(1));
        QCOMPARE(device.momentAt(made.snapshot(), 999), MemoryMoment(0));
        QCOMPARE(device.momentAt(made.snapshot(), 2000), MemoryMoment(1));
        QCOMPARE(device.momentAt(made.snapshot(), 5000), MemoryMoment(3));
        QCOMPARE(*device.timeOf(made.snapshot(), 3), int64_t(5000));
        made.snapshot().entries.time_ns.clear();
        const AllocatorReplay untimed = made.replay();
        QCOMPARE(untimed.devices[0].momentAt(made.snapshot(), 5000), MemoryMoment(0));
        QVERIFY(!untimed.devices[0].timeOf(made.snapshot(), 3));
        QCOMPARE(columnsOfTime(untimed.devices[0], made.snapshot(), {{0}, {10}}, 5).back().last,
                 MemoryMoment(4));
        askEverything(untimed, made.strings());
    }

    // The dump is later than the history: the changes in between are reported, and the history stays
    // correct.
    void theDumpIsLaterThanTheHistory()
    {
        SnapshotMaker made;
        made.segment(0x1000, 2 * kMebi).block(0x1000, 512).block(0x3000, 512);
        made.alloc(0x1000, 100).free(0x1000, 100).alloc(0x2000, 100).alloc(0x2f00, 1000);
        const AllocatorReplay replay = made.replay();
        QCOMPARE(noteCount(replay, "memory.block_after_history"), uint64_t(1)); // 0x1000
        QCOMPARE(noteCount(replay, "memory.block_not_in_dump"), uint64_t(2));   // 0x2000, 0x2f00
        QCOMPARE(noteCount(replay, "memory.later_than_history"), uint64_t(1));  // 0x3000, under 0x2f00
        QCOMPARE(replay.devices[0].levelsAt(0).active, int64_t(0));
        QCOMPARE(replay.devices[0].levelsAt(5).requested, int64_t(1100));
        askEverything(replay, made.strings());
    }

    void aMillionEntriesOfOneStack()
    {
        SnapshotMaker made;
        const uint32_t stack = made.stack({"f", "g"});
        made.segment(1 << 20, kMebi * 2);
        for (uint64_t i = 0; i < 333'334; ++i)
            made.alloc((1 << 20) + i % 4096 * 512, 100 + i % 400, stack)
                .free((1 << 20) + i % 4096 * 512, 100 + i % 400);
        const test::CpuTimer clock;
        const AllocatorReplay replay = made.replay();
        QVERIFY(replay.notes.all().empty());
        QCOMPARE(replay.devices[0].blocks.size(), size_t(333'334));
        QCOMPARE(stackUses(replay.devices[0]).size(), size_t(1));
        // Rows, events, lives and checkpoints: the memory of a replay without the snapshot.
        QVERIFY(double(replay.residentBytes()) / 1e6 < 60);
        QVERIFY(clock.elapsed_ms() < 20'000);
        askEverything(replay, made.strings());
    }

    void aDeepStack()
    {
        SnapshotMaker made;
        const uint32_t stack = made.stack(std::vector<std::string>(200'000, "deep"));
        made.segment(4096, kMebi).alloc(4096, 512, stack);
        const AllocatorReplay replay = made.replay();
        FlameRequest request;
        request.moment = 1;
        const auto nodes = flameTree(replay.devices[0], made.snapshot(), request);
        QCOMPARE(nodes.size(), size_t(200'001));
        QCOMPARE(nodes.back().depth, uint32_t(200'000));
        QCOMPARE(nodes.back().size_bytes, int64_t(512));
        askEverything(replay, made.strings());
    }

    void overflowedHistoryIsReported()
    {
        Report report;
        SnapshotMaker made;
        made.alloc(512, 1);
        report.memory = std::make_shared<MemorySnapshot>(made.snapshot());
        QCOMPARE(noteCount(replayAllocator(report, Progress()).value(), "memory.history_overflowed"),
                 uint64_t(0));
        report.facts.emplace_back("allocator.trace_alloc_overflowed", "true");
        const AllocatorReplay replay = replayAllocator(report, Progress()).value();
        QCOMPARE(noteCount(replay, "memory.history_overflowed"), uint64_t(1));
        QVERIFY(replay.notes.hasDataLoss());
    }

    void emptyHistory()
    {
        SnapshotMaker made;
        askEverything(made.replay(), made.strings());
        made.snapshot().devices.clear();
        QVERIFY(made.replay().devices.empty());
        QVERIFY(!replayAllocator(nullptr, {}, Progress()));
        QVERIFY(!replayAllocator(Report(), Progress()));
        std::stop_source stop;
        stop.request_stop();
        made.snapshot().devices = {0};
        const auto canceled = replayAllocator(std::make_shared<MemorySnapshot>(made.snapshot()), {},
                                              Progress(stop.get_token()));
        QVERIFY(!canceled && canceled.error().kind == ErrorKind::canceled);
    }
};

LOCKSTEP_TEST(HostileHistoryTest, "hostile_history_test")
#include "hostile_history_test.moc"
