// SPDX-License-Identifier: Apache-2.0
// Tests that the data behind the memory lane gives the same as the exact layout, for any range of moments;
// and that times convert to moments and back.
#include "core/memory/memory_lod.h"

#include <map>

#include "core/memory/memory_axis.h"
#include "core/memory/memory_layout.h"
#include "tests/support/random_replay.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using lockstep::test::RandomReplay;

namespace {

std::vector<MemoryCategory> categoriesOf(RandomReplay& view)
{
    std::vector<MemoryCategory> out;
    for (size_t stack = 0; stack < view.snapshot->stackCount(); ++stack)
        out.push_back(
            static_cast<MemoryCategory>(view.random() % static_cast<size_t>(MemoryCategory::noStack)));
    return out;
}

// Returns the bytes of a column of an exact layout, by the key of its areas.
std::map<uint32_t, int64_t> columnOf(const MemoryLayout& layout, size_t column)
{
    std::map<uint32_t, int64_t> out;
    for (const MemoryArea& area : layout.stack.areas) {
        if (column < area.firstColumn || column - area.firstColumn >= area.columnCount) continue;
        out[area.key] = layout.stack.size_bytes[area.firstPoint + column - area.firstColumn];
    }
    return out;
}

MemoryLayoutRequest someColumns(RandomReplay& view, MemoryGrouping by)
{
    MemoryLayoutRequest request;
    const MemoryMoment first = view.moment();
    request.columns = columnsOfMoments(first, std::max(first, view.moment()), 1 + view.random() % 90);
    request.by = by;
    request.limits.mostAreas = 10'000;
    return request;
}

} // namespace

class MemoryLodPropertyTest : public QObject {
    Q_OBJECT

  private slots:
    void categoriesAreExact()
    {
        QVERIFY(rc::check("areas by category", [] {
            RandomReplay view(400);
            const auto categories = categoriesOf(view);
            const MemoryLod lod(view.device(), categoryGroups(categories));
            const MemoryLayoutRequest request = someColumns(view, MemoryGrouping::category);
            const MemoryLayout exact = layOutMemory(view.device(), request, categories, Progress()).value();
            for (size_t column = 0; column < request.columns.size(); ++column) {
                const auto& [first, last] = request.columns[column];
                const GroupPeak peak = lod.peakIn(view.device(), first, last);
                RC_ASSERT(peak.moment == exact.moments[column]);
                RC_ASSERT(peak.active() == exact.levels[column].active);
                auto areas = columnOf(exact, column);
                for (uint32_t group = 0; group < kMemoryGroups; ++group)
                    RC_ASSERT(peak.bytes[group] == areas[group]);
                RC_ASSERT(lod.at(view.device(), peak.moment) == peak.bytes);
            }
        }));
    }

    void largestStacksAreExact()
    {
        QVERIFY(rc::check("areas by stack", [] {
            RandomReplay view(400);
            const MemoryGroups groups = largestStackGroups(view.device(), view.snapshot->stackCount());
            const MemoryLod lod(view.device(), groups);
            RC_ASSERT(groups.stacks.size() < kMemoryGroups);
            const MemoryLayoutRequest request = someColumns(view, MemoryGrouping::stack);
            const MemoryLayout exact = layOutMemory(view.device(), request, {}, Progress()).value();
            for (size_t column = 0; column < request.columns.size(); ++column) {
                const auto& [first, last] = request.columns[column];
                const GroupPeak peak = lod.peakIn(view.device(), first, last);
                RC_ASSERT(peak.moment == exact.moments[column]);
                auto areas = columnOf(exact, column);
                int64_t rest = exact.levels[column].active;
                for (size_t group = 0; group < groups.stacks.size(); ++group) {
                    RC_ASSERT(peak.bytes[group] == areas[groups.stacks[group].value]);
                    rest -= peak.bytes[group];
                }
                RC_ASSERT(peak.bytes[kMemoryGroups - 1] == rest);
            }
        }));
    }

    // The named groups are those whose own peak is largest.
    void largestGroupsAreNamed()
    {
        QVERIFY(rc::check("largest stacks", [] {
            RandomReplay view(200);
            const MemoryGroups groups = largestStackGroups(view.device(), view.snapshot->stackCount());
            std::map<uint32_t, int64_t> most;
            for (MemoryMoment moment = 0; moment <= view.device().lastMoment(); ++moment) {
                std::map<uint32_t, int64_t> now;
                for (const BlockLifeId life : view.device().activeAt(moment))
                    now[view.stackAt(life.value)] += view.sizeAt(life.value);
                for (const auto& [stack, size] : now)
                    most[stack] = std::max(most[stack], size);
            }
            int64_t least = INT64_MAX;
            for (const MemoryStackId stack : groups.stacks)
                least = std::min(least, most[stack.value]);
            for (const auto& [stack, size] : most) {
                const bool isNamed =
                    std::ranges::find(groups.stacks, MemoryStackId(stack)) != groups.stacks.end();
                RC_ASSERT(isNamed || !MemoryStackId(stack).isValid() || size <= least);
            }
        }));
    }

    void timesFindMoments()
    {
        QVERIFY(rc::check("moment of a time, by stamps and by index", [] {
            RandomReplay view(150);
            const DeviceReplay& device = view.device();
            const MemoryAxis timed{device, *view.snapshot, {}};
            if (timed.isByIndex()) return;
            const int64_t first = timed.timeOf(0).ns - 10, last = timed.timeOf(device.lastMoment()).ns + 10;
            const int64_t time =
                first + static_cast<int64_t>(view.random() % static_cast<uint64_t>(last - first));
            const MemoryMoment plain = device.momentAt(*view.snapshot, time);
            RC_ASSERT(timed.momentAt({time}) == plain);
            RC_ASSERT(timed.momentAt({time}, static_cast<MemoryMoment>(view.random() % (plain + 1))) ==
                      plain);
            auto untimedSnapshot = std::make_shared<MemorySnapshot>(*view.snapshot);
            untimedSnapshot->entries.time_ns.clear();
            const AllocatorReplay replay =
                replayAllocator(untimedSnapshot, AllocatorRules(), Progress()).value();
            const DeviceReplay& other = replay.devices.at(0);
            const int64_t length = 1 + static_cast<int64_t>(view.random() % 10'000'000) + other.lastMoment();
            const MemoryAxis index{other, *untimedSnapshot, {{-5}, {-5 + length}}};
            RC_ASSERT(index.isByIndex());
            for (MemoryMoment moment = 0; moment <= other.lastMoment(); ++moment) {
                RC_ASSERT(index.momentAt(index.timeOf(moment)) == moment);
                RC_ASSERT(moment == 0 || index.momentAt(index.timeOf(moment) - Duration{1}) == moment - 1);
            }
            RC_ASSERT(index.momentAt({-6}) == 0u && index.momentAt({-5 + length}) == other.lastMoment());
        }));
    }
};

LOCKSTEP_TEST(MemoryLodPropertyTest, "memory_lod_property_test")
#include "memory_lod_property_test.moc"
