// SPDX-License-Identifier: Apache-2.0
// Tests histories with changed, lost, duplicated and swapped entries, together with their dumps: replays are
// consistent, levels match the blocks that are shown as alive, and views add up.
#include <rapidcheck.h>

#include "core/memory/allocations.h"
#include "core/memory/allocator_state.h"
#include "core/memory/leaks.h"
#include "core/memory/memory_layout.h"
#include "core/memory/snapshot_difference.h"
#include "tests/support/caching_allocator.h"
#include "tests/support/made_snapshot.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

uint64_t wildNumber(std::mt19937_64& random)
{
    const uint64_t number = random();
    switch (number % 8) {
    case 0:
        return 0;
    case 1:
        return ~uint64_t(0) - number % 3;
    case 2:
        return kLargestSize_bytes + number % 3;
    case 3:
        return uint64_t(1) << number % 64;
    default:
        return number >> (20 + number % 40);
    }
}

void damageEntry(MemoryEntryTable& e, std::mt19937_64& random)
{
    if (e.size() == 0) return;
    const size_t a = random() % e.size(), b = random() % e.size();
    switch (random() % 7) {
    case 0:
        e.action[a] = static_cast<MemoryAction>(random() % static_cast<uint64_t>(MemoryAction::count));
        break;
    case 1:
        e.address[a] = random() % 2 == 0 ? e.address[b] : wildNumber(random);
        break;
    case 2:
        e.size_bytes[a] = random() % 2 == 0 ? e.size_bytes[b] : wildNumber(random);
        break;
    case 3:
        e.time_ns[a] = static_cast<int64_t>(wildNumber(random) >> 3);
        break;
    case 4:
        e.device[a] = static_cast<int32_t>(random() % 3) - 1;
        break;
    case 5:
        e.stack[a] = MemoryStackId();
        break;
    default: // doubled, or moved
        e.action[a] = e.action[b];
        e.address[a] = e.address[b];
        e.size_bytes[a] = e.size_bytes[b];
    }
}

void damageDump(MemorySnapshot& snapshot, std::mt19937_64& random)
{
    MemorySegmentTable& s = snapshot.segments;
    MemoryBlockTable& b = snapshot.blocks;
    if (s.size() == 0) return;
    const size_t segment = random() % s.size(), block = random() % b.size();
    switch (random() % 6) {
    case 0:
        s.address[segment] = random() % 2 == 0 ? s.address[random() % s.size()] : wildNumber(random);
        break;
    case 1:
        s.total_bytes[segment] = wildNumber(random);
        break;
    case 2:
        b.address[block] = random() % 2 == 0 ? b.address[random() % b.size()] : wildNumber(random);
        break;
    case 3:
        b.size_bytes[block] = wildNumber(random);
        break;
    case 4:
        b.state[block] = static_cast<BlockState>(random() % static_cast<uint64_t>(BlockState::count));
        break;
    default:
        s.isExpandable[segment] ^= 1;
    }
}

MemoryLevels countedLevels(const DeviceReplay& device, MemoryMoment moment)
{
    const BlockLifeTable& blocks = device.blocks;
    MemoryLevels out;
    for (size_t life = 0; life < blocks.size(); ++life) {
        if (!blocks.isActiveAt(life, moment)) continue;
        out.active += static_cast<int64_t>(blocks.size_bytes[life]);
        out.requested += static_cast<int64_t>(blocks.requested_bytes[life]);
        if (blocks.freeRequested[life] > moment)
            out.allocated += static_cast<int64_t>(blocks.size_bytes[life]);
    }
    for (const SegmentLife& segment : device.segments.lives)
        out.reserved += segment.isReservedAt(moment) ? static_cast<int64_t>(segment.size_bytes) : 0;
    return out;
}

void checkDevice(const AllocatorReplay& replay, const DeviceReplay& device, std::mt19937_64& random)
{
    RC_ASSERT(std::ranges::is_sorted(device.blocks.allocated));
    for (size_t life = 0; life < device.blocks.size(); ++life) {
        RC_ASSERT(device.blocks.allocated[life] <= device.blocks.freeRequested[life]);
        RC_ASSERT(device.blocks.freeRequested[life] <= device.blocks.freed[life]);
        RC_ASSERT(device.blocks.size_bytes[life] > 0u || device.blocks.dumpBlock[life] != 0xFFFFFFFFu);
    }
    device.forEachMoment(0, device.lastMoment(), [&](MemoryMoment moment, const MemoryLevels& levels) {
        RC_ASSERT(levels == countedLevels(device, moment));
        RC_ASSERT(levels.allocated <= levels.active && levels.active <= device.peaks.active.levels.active);
    });
    MemoryLayoutRequest request;
    request.columns = columnsOfTime(device, *replay.snapshot, {{0}, {INT64_MAX / 4}}, 1 + random() % 50);
    request.by = static_cast<MemoryGrouping>(random() % 2);
    const MemoryLayout layout = layOutMemory(device, request, {}, Progress()).value();
    std::vector<int64_t> heights(request.columns.size(), 0);
    for (const MemoryArea& area : layout.stack.areas) {
        for (uint32_t i = 0; i < area.columnCount; ++i)
            heights[area.firstColumn + i] += layout.stack.size_bytes[area.firstPoint + i];
    }
    for (size_t column = 0; column < heights.size(); ++column)
        RC_ASSERT(heights[column] == layout.levels[column].active);
    const AllocatorState state =
        stateAt(device, static_cast<MemoryMoment>(random() % (device.lastMoment() + 1)));
    RC_ASSERT(state.blocks.size() == device.activeAt(state.moment).size());
    fragmentationOf(state);
    pinnedSegments(state);
    StringPool strings;
    for (const OutOfMemoryCause& cause : outOfMemoryCauses(replay, device, 0, 3))
        RC_ASSERT(!outOfMemoryText(cause, *replay.snapshot, strings).empty());
    int64_t atPeak = 0;
    for (const StackUse& use : stackUses(device))
        atPeak += use.peak_bytes;
    RC_ASSERT(atPeak == device.peaks.active.levels.active);
    RC_ASSERT(peakWithout(device, {}).levels == device.peaks.active.levels);
    const MemoryView view{device, *replay.snapshot, strings, state.moment};
    snapshotDifference(view, view);
    unfreedStacks(device, {0, kNeverFreed});
}

} // namespace

class DamagedHistoryTest : public QObject {
    Q_OBJECT

  private slots:
    void replaysAreConsistent()
    {
        QVERIFY(rc::check("damaged histories", [] {
            std::mt19937_64 random(*rc::gen::arbitrary<uint64_t>());
            test::AllocatorModel model;
            model.isExpandable = random() % 2 == 0;
            const auto allocator = test::randomAllocator(model, 1 + random() % 120, random);
            MemorySnapshot damaged = *allocator.dump(random() % (allocator.entryCount() + 1));
            for (uint64_t i = 0, end = 1 + random() % 20; i < end; ++i)
                random() % 3 == 0 ? damageDump(damaged, random) : damageEntry(damaged.entries, random);
            damaged.devices = {-1, 0, 1};
            const auto replay =
                replayAllocator(std::make_shared<MemorySnapshot>(damaged), {}, Progress()).value();
            RC_ASSERT(replay.devices.size() == 3u);
            for (const DeviceReplay& device : replay.devices)
                checkDevice(replay, device, random);
        }));
    }

    // Devices whose rows are interleaved in the file do not affect each other.
    void devicesAreIndependent()
    {
        QVERIFY(rc::check("mixed devices", [] {
            std::mt19937_64 random(*rc::gen::arbitrary<uint64_t>());
            const auto one = test::randomAllocator({false, 0, 0}, 1 + random() % 80, random);
            const auto two = test::randomAllocator({true, 1, 0}, 1 + random() % 80, random);
            const auto a = one.dump(one.entryCount()), b = two.dump(two.entryCount());
            auto both = std::make_shared<MemorySnapshot>(*a);
            both->devices = {0, 1};
            MemoryEntryTable mixed;
            for (size_t i = 0, j = 0; i < a->entries.size() || j < b->entries.size();) {
                const bool takesA = j == b->entries.size() || (i < a->entries.size() && random() % 2 == 0);
                const MemoryEntryTable& from = takesA ? a->entries : b->entries;
                const size_t row = takesA ? i++ : j++;
                mixed.device.push_back(from.device[row]);
                mixed.action.push_back(from.action[row]);
                mixed.address.push_back(from.address[row]);
                mixed.size_bytes.push_back(from.size_bytes[row]);
                mixed.stream.push_back(from.stream[row]);
                mixed.time_ns.push_back(from.time_ns[row]);
                mixed.stack.push_back(from.stack[row]);
            }
            both->entries = mixed;
            const auto append = [](auto& to, const auto& from) {
                to.insert(to.end(), from.begin(), from.end());
            };
            for (const uint32_t first : b->segments.firstBlock)
                both->segments.firstBlock.push_back(first + static_cast<uint32_t>(a->blocks.size()));
            append(both->segments.device, b->segments.device);
            append(both->segments.address, b->segments.address);
            append(both->segments.total_bytes, b->segments.total_bytes);
            append(both->segments.allocated_bytes, b->segments.allocated_bytes);
            append(both->segments.active_bytes, b->segments.active_bytes);
            append(both->segments.requested_bytes, b->segments.requested_bytes);
            append(both->segments.type, b->segments.type);
            append(both->segments.stream, b->segments.stream);
            append(both->segments.pool, b->segments.pool);
            append(both->segments.isExpandable, b->segments.isExpandable);
            append(both->segments.stack, b->segments.stack);
            append(both->segments.blockCount, b->segments.blockCount);
            append(both->blocks.address, b->blocks.address);
            append(both->blocks.size_bytes, b->blocks.size_bytes);
            append(both->blocks.requested_bytes, b->blocks.requested_bytes);
            append(both->blocks.state, b->blocks.state);
            append(both->blocks.stack, b->blocks.stack);
            const AllocatorReplay replay = replayAllocator(both, {}, Progress()).value();
            RC_ASSERT(replay.notes.all().empty());
            for (MemoryMoment m = 0; m <= replay.devices[0].lastMoment(); ++m)
                RC_ASSERT(replay.devices[0].levelsAt(m) == one.levels()[m]);
            for (MemoryMoment m = 0; m <= replay.devices[1].lastMoment(); ++m)
                RC_ASSERT(replay.devices[1].levelsAt(m) == two.levels()[m]);
        }));
    }
};

LOCKSTEP_TEST(DamagedHistoryTest, "damaged_history_test")
#include "damaged_history_test.moc"
