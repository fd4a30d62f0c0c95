// SPDX-License-Identifier: Apache-2.0
// Compares the replay of a random allocator's dump with the allocator's own state after every entry, wherever
// the history begins.
#include <rapidcheck.h>

#include "core/memory/allocator_replay.h"
#include "tests/support/caching_allocator.h"
#include "tests/support/made_snapshot.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using lockstep::test::CachingAllocator;

namespace {

struct Drawn {
    CachingAllocator allocator;
    size_t kept = 0; // entries of the dump
    AllocatorReplay replay;
};

Drawn drawReplay(size_t longest)
{
    test::AllocatorModel model;
    model.isExpandable = *rc::gen::arbitrary<bool>();
    model.device = *rc::gen::inRange(-1, 3);
    model.padding_bytes = *rc::gen::element(0u, 32u);
    std::mt19937_64 random(*rc::gen::arbitrary<uint64_t>());
    const size_t steps = 1 + random() % longest; // size not limited by rc: long histories as well
    Drawn out{test::randomAllocator(model, steps, random), 0, {}};
    out.kept = random() % (out.allocator.entryCount() + 1);
    if (random() % 4 == 0) out.kept = out.allocator.entryCount();
    AllocatorRules rules;
    rules.padding_bytes = model.padding_bytes;
    out.replay = replayAllocator(out.allocator.dump(out.kept), rules, Progress()).value();
    return out;
}

// Returns how much active memory a moment may have beyond the replay's level.
int64_t slack(const DeviceReplay& device, MemoryMoment moment)
{
    int64_t bytes = 0;
    for (const BlockLifeId life : device.activeAt(moment)) {
        if ((device.blocks.flags[life.value] & blockFlag::kSizeGuessed) != 0)
            bytes += int64_t(kLargestSmall_bytes);
    }
    return bytes;
}

} // namespace

class ReplayPropertyTest : public QObject {
    Q_OBJECT

  private slots:
    void levelsEqualTheAllocators()
    {
        QVERIFY(rc::check("levels after every entry", [] {
            const Drawn drawn = drawReplay(250);
            const DeviceReplay& device = drawn.replay.devices.at(0);
            RC_ASSERT(device.lastMoment() == drawn.kept);
            const size_t dropped = drawn.allocator.entryCount() - drawn.kept;
            device.forEachMoment(
                0, device.lastMoment(), [&](MemoryMoment moment, const MemoryLevels& levels) {
                    const MemoryLevels& truth = drawn.allocator.levels()[dropped + moment];
                    const int64_t most = slack(device, moment);
                    RC_ASSERT(levels.requested == truth.requested);
                    RC_ASSERT(levels.reserved == truth.reserved);
                    RC_ASSERT(levels.active <= truth.active && truth.active <= levels.active + most);
                    RC_ASSERT(levels.allocated <= truth.allocated &&
                              truth.allocated <= levels.allocated + most);
                    RC_ASSERT(levels == device.levelsAt(moment));
                });
            if (dropped == 0) {
                RC_ASSERT(test::noteCount(drawn.replay, "memory.size_unknown") == 0u);
                RC_ASSERT(drawn.replay.notes.all().empty());
            }
        }));
    }

    void peaksOfRangesAreFound()
    {
        QVERIFY(rc::check("peaks of ranges", [] {
            const Drawn drawn = drawReplay(600);
            const DeviceReplay& device = drawn.replay.devices.at(0);
            std::mt19937_64 random(*rc::gen::arbitrary<uint64_t>());
            for (int i = 0; i < 10; ++i) {
                const auto first = static_cast<MemoryMoment>(random() % (device.lastMoment() + 1));
                const auto last =
                    static_cast<MemoryMoment>(first + random() % (device.lastMoment() - first + 1));
                MemoryPeak active{first, device.levelsAt(first)}, reserved = active;
                device.forEachMoment(first, last, [&](MemoryMoment moment, const MemoryLevels& levels) {
                    if (levels.active > active.levels.active) active = {moment, levels};
                    if (levels.reserved > reserved.levels.reserved) reserved = {moment, levels};
                });
                RC_ASSERT(device.activePeakIn(first, last).moment == active.moment);
                RC_ASSERT(device.activePeakIn(first, last).levels == active.levels);
                RC_ASSERT(device.reservedPeakIn(first, last).moment == reserved.moment);
                RC_ASSERT(device.reservedPeakIn(first, last).levels == reserved.levels);
            }
        }));
    }

    void liveBlocksEqualTheAllocators()
    {
        QVERIFY(rc::check("active blocks at every moment", [] {
            const Drawn drawn = drawReplay(120);
            const DeviceReplay& device = drawn.replay.devices.at(0);
            const size_t dropped = drawn.allocator.entryCount() - drawn.kept;
            for (MemoryMoment moment = 0; moment <= device.lastMoment(); ++moment) {
                std::vector<uint64_t> addresses;
                for (const BlockLifeId life : device.activeAt(moment))
                    addresses.push_back(device.blocks.address[life.value]);
                std::ranges::sort(addresses);
                RC_ASSERT(addresses == drawn.allocator.activeAddresses()[dropped + moment]);
            }
        }));
    }

    // The state of a moment does not depend on how much of the past was recorded.
    void replayBegunInTheMiddleEndsTheSame()
    {
        QVERIFY(rc::check("begun in the middle", [] {
            const Drawn drawn = drawReplay(200);
            const AllocatorReplay whole = replayAllocator(drawn.allocator.dump(drawn.allocator.entryCount()),
                                                          drawn.replay.rules, Progress())
                                              .value();
            const DeviceReplay &a = whole.devices.at(0), &b = drawn.replay.devices.at(0);
            RC_ASSERT(a.levelsAt(a.lastMoment()) == b.levelsAt(b.lastMoment()));
            std::vector<std::pair<uint64_t, uint64_t>> blocksOfA, blocksOfB;
            for (const BlockLifeId life : a.activeAt(a.lastMoment()))
                blocksOfA.emplace_back(a.blocks.address[life.value], a.blocks.size_bytes[life.value]);
            for (const BlockLifeId life : b.activeAt(b.lastMoment()))
                blocksOfB.emplace_back(b.blocks.address[life.value], b.blocks.size_bytes[life.value]);
            std::ranges::sort(blocksOfA);
            std::ranges::sort(blocksOfB);
            RC_ASSERT(blocksOfA == blocksOfB);
        }));
    }

    // A dump whose newest entries are lost: no block is shown that the replay cannot know, and none overlap.
    void truncatedHistoryKeepsItsLevels()
    {
        QVERIFY(rc::check("cut at its end", [] {
            const Drawn drawn = drawReplay(150);
            auto snapshot =
                std::make_shared<MemorySnapshot>(*drawn.allocator.dump(drawn.allocator.entryCount()));
            const size_t left = size_t(*rc::gen::inRange(0, int(snapshot->entries.size()) + 1));
            MemoryEntryTable& e = snapshot->entries;
            e.device.resize(left);
            e.action.resize(left);
            e.address.resize(left);
            e.size_bytes.resize(left);
            e.stream.resize(left);
            e.time_ns.resize(left);
            e.stack.resize(left);
            const AllocatorReplay replay = replayAllocator(snapshot, drawn.replay.rules, Progress()).value();
            const DeviceReplay& device = replay.devices.at(0);
            for (MemoryMoment moment = 0; moment <= device.lastMoment(); ++moment) {
                // Blocks that were alive then are shown; in addition at most blocks of the dump that nothing
                // contradicts.
                std::vector<uint64_t> shown;
                for (const BlockLifeId life : device.activeAt(moment))
                    shown.push_back(device.blocks.address[life.value]);
                std::ranges::sort(shown);
                for (const uint64_t address : drawn.allocator.activeAddresses()[moment])
                    RC_ASSERT(std::ranges::binary_search(shown, address));
            }
        }));
    }
};

LOCKSTEP_TEST(ReplayPropertyTest, "replay_property_test")
#include "replay_property_test.moc"
