// SPDX-License-Identifier: Apache-2.0
// What is shown of a replay (areas, tables by stack, flame trees, what-if, segments, growth, differences) is
// what a plain count over its blocks gives.
#include <rapidcheck.h>

#include <map>
#include <set>

#include "core/memory/allocations.h"
#include "core/memory/allocator_state.h"
#include "core/memory/leaks.h"
#include "core/memory/memory_layout.h"
#include "core/memory/snapshot_difference.h"
#include "tests/support/caching_allocator.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

struct View {
    std::mt19937_64 random{*rc::gen::arbitrary<uint64_t>()};
    std::shared_ptr<const MemorySnapshot> snapshot;
    AllocatorReplay replay;

    explicit View(size_t longest)
    {
        test::AllocatorModel model;
        model.isExpandable = random() % 2 == 0;
        const auto allocator = test::randomAllocator(model, 1 + random() % longest, random);
        snapshot = allocator.dump(random() % (allocator.entryCount() + 1));
        replay = replayAllocator(snapshot, AllocatorRules(), Progress()).value();
    }
    const DeviceReplay& device() const { return replay.devices.at(0); }
    MemoryMoment moment() { return static_cast<MemoryMoment>(random() % (device().lastMoment() + 1)); }
    uint32_t stackAt(size_t life) const { return device().blocks.stack[life].value; }
    int64_t sizeAt(size_t life) const { return static_cast<int64_t>(device().blocks.size_bytes[life]); }
};

// Active bytes by group at a moment.
std::map<uint32_t, int64_t> plainGroups(const View& view, MemoryGrouping by, MemoryMoment moment,
                                        const std::vector<MemoryCategory>& categories)
{
    std::map<uint32_t, int64_t> out;
    for (uint32_t life = 0; life < view.device().blocks.size(); ++life) {
        if (!view.device().blocks.isActiveAt(life, moment)) continue;
        const MemoryStackId stack = view.device().blocks.stack[life];
        uint32_t key = life;
        if (by == MemoryGrouping::stack) key = stack.isValid() ? stack.value : kNoStackKey;
        if (by == MemoryGrouping::category) key = static_cast<uint32_t>(categoryOf(categories, stack));
        out[key] += view.sizeAt(life);
    }
    return out;
}

std::vector<MemoryCategory> someCategories(const MemorySnapshot& snapshot)
{
    std::vector<MemoryCategory> out;
    for (size_t stack = 0; stack < snapshot.stackCount(); ++stack)
        out.push_back(static_cast<MemoryCategory>(stack % 4));
    return out;
}

void checkColumn(const View& view, const MemoryLayoutRequest& request, const MemoryLayout& layout,
                 size_t column, const std::vector<MemoryCategory>& categories)
{
    MemoryMoment best = request.columns[column].first;
    for (MemoryMoment m = best; m <= request.columns[column].last; ++m) {
        if (view.device().levelsAt(m).active > view.device().levelsAt(best).active) best = m;
    }
    RC_ASSERT(layout.moments[column] == best);
    auto groups = plainGroups(view, request.by, best, categories);
    int64_t height = 0;
    for (const MemoryArea& area : layout.stack.areas) {
        if (column < area.firstColumn || column >= area.firstColumn + area.columnCount) {
            RC_ASSERT(groups.count(area.key) == 0u);
            continue;
        }
        const size_t point = area.firstPoint + column - area.firstColumn;
        RC_ASSERT(layout.stack.offset_bytes[point] == height);
        height += layout.stack.size_bytes[point];
        if (area.key == kRestKey) {
            int64_t rest = 0;
            for (const auto& [key, size] : groups)
                rest += size;
            RC_ASSERT(layout.stack.size_bytes[point] == rest);
            continue;
        }
        RC_ASSERT(layout.stack.size_bytes[point] == groups[area.key]);
        RC_ASSERT(area.most_bytes >= groups[area.key]);
        groups.erase(area.key);
    }
    RC_ASSERT(height == layout.levels[column].active);
    RC_ASSERT(layout.levels[column] == view.device().levelsAt(best));
    if (height == 0) return;
    const int64_t at = height / 2;
    const auto hit = layout.stack.areaAt(column, at);
    RC_ASSERT(hit.has_value());
    const size_t point = layout.stack.areas[*hit].firstPoint + column - layout.stack.areas[*hit].firstColumn;
    RC_ASSERT(layout.stack.offset_bytes[point] <= at &&
              at < layout.stack.offset_bytes[point] + layout.stack.size_bytes[point]);
    RC_ASSERT(!layout.stack.areaAt(column, height).has_value());
}

} // namespace

class MemoryViewsPropertyTest : public QObject {
    Q_OBJECT

  private slots:
    void areasAddUp()
    {
        QVERIFY(rc::check("areas of each column", [] {
            View view(150);
            const auto categories = someCategories(*view.snapshot);
            MemoryLayoutRequest request;
            const MemoryMoment first = view.moment();
            const MemoryMoment last = std::max(first, view.moment());
            const size_t columns = 1 + view.random() % 60;
            request.columns = columnsOfMoments(first, last, columns);
            RC_ASSERT(request.columns.front().first == first && request.columns.back().last == last);
            if (view.random() % 2 == 0) {
                const int64_t begin_ns = *view.device().timeOf(*view.snapshot, 0) - 5000;
                const int64_t end_ns =
                    *view.device().timeOf(*view.snapshot, view.device().lastMoment()) + 5000;
                request.columns =
                    columnsOfTime(view.device(), *view.snapshot, {{begin_ns}, {end_ns}}, columns);
                RC_ASSERT(request.columns.back().last == view.device().lastMoment());
            }
            request.by = static_cast<MemoryGrouping>(view.random() % 3);
            request.limits.mostAreas = view.random() % 30;
            if (view.random() % 3 == 0) request.limits.mostPoints = view.random() % 200;
            const MemoryLayout layout = layOutMemory(view.device(), request, categories, Progress()).value();
            for (size_t column = 0; column < columns; ++column)
                checkColumn(view, request, layout, column, categories);
            RC_ASSERT(layout.stack.areas.size() <= request.limits.mostAreas + 1);
            RC_ASSERT(layout.stack.size_bytes.size() <= request.limits.mostPoints + columns);
        }));
    }

    void segmentsAddUp()
    {
        QVERIFY(rc::check("segments of each column", [] {
            View view(150);
            MemoryLayoutRequest request;
            request.columns = columnsOfMoments(0, view.device().lastMoment(), 1 + view.random() % 40);
            request.limits.mostAreas = view.random() % 20;
            const MemoryLayout layout = layOutSegments(view.device(), request, Progress()).value();
            for (size_t column = 0; column < layout.moments.size(); ++column) {
                int64_t most = 0, height = 0;
                for (MemoryMoment m = request.columns[column].first; m <= request.columns[column].last; ++m)
                    most = std::max(most, view.device().levelsAt(m).reserved);
                RC_ASSERT(layout.levels[column].reserved == most);
                for (const MemoryArea& area : layout.stack.areas) {
                    const bool isHere =
                        column >= area.firstColumn && column < area.firstColumn + area.columnCount;
                    if (area.key != kRestKey) {
                        const SegmentLife& life = view.device().segments.lives[area.key];
                        RC_ASSERT(isHere == life.isHeldAt(layout.moments[column]));
                        RC_ASSERT(area.most_bytes == int64_t(life.size_bytes));
                    }
                    if (isHere)
                        height += layout.stack.size_bytes[area.firstPoint + column - area.firstColumn];
                }
                RC_ASSERT(height == most);
            }
        }));
    }

    void usesByStackAreCounted()
    {
        QVERIFY(rc::check("table of stacks", [] {
            View view(120);
            const BlockLifeTable& blocks = view.device().blocks;
            std::map<uint32_t, StackUse> plain;
            for (MemoryMoment m = 0; m <= view.device().lastMoment(); ++m) {
                for (const auto& [stack, size] : [&] {
                         std::map<uint32_t, int64_t> levels;
                         for (size_t life = 0; life < blocks.size(); ++life) {
                             if (blocks.isActiveAt(life, m)) levels[view.stackAt(life)] += view.sizeAt(life);
                         }
                         return levels;
                     }()) {
                    StackUse& use = plain[stack];
                    if (size > use.most_bytes) {
                        use.most_bytes = size;
                        use.mostAt = m;
                    }
                    if (m == view.device().peaks.active.moment) use.peak_bytes = size;
                }
            }
            const std::vector<StackUse> uses = stackUses(view.device());
            int64_t atPeak = 0;
            for (const StackUse& use : uses) {
                RC_ASSERT(use.most_bytes == plain[use.stack.value].most_bytes);
                RC_ASSERT(use.mostAt == plain[use.stack.value].mostAt);
                RC_ASSERT(use.peak_bytes == plain[use.stack.value].peak_bytes);
                atPeak += use.peak_bytes;
            }
            RC_ASSERT(atPeak == view.device().peaks.active.levels.active);
            RC_ASSERT(uses.size() == std::set<uint32_t>([&] {
                                         std::set<uint32_t> all;
                                         for (size_t life = 0; life < blocks.size(); ++life)
                                             all.insert(view.stackAt(life));
                                         return all;
                                     }())
                                         .size());
        }));
    }

    void flameTreesAddUp()
    {
        QVERIFY(rc::check("flame tree", [] {
            View view(120);
            FlameRequest request;
            request.moment = view.moment();
            request.isInverted = view.random() % 2 == 0;
            request.isSearchedFor.assign(view.snapshot->frames.size(), false);
            request.isSearchedFor[view.random() % request.isSearchedFor.size()] = true;
            const auto nodes = flameTree(view.device(), *view.snapshot, request);
            RC_ASSERT(nodes[0].size_bytes == view.device().levelsAt(request.moment).active);
            RC_ASSERT(nodes[0].blocks == view.device().activeAt(request.moment).size());
            const auto found = stacksWith(*view.snapshot, request.isSearchedFor);
            int64_t foundBytes = 0;
            std::vector<int64_t> children(nodes.size()), ownStacks(nodes.size());
            for (const StackLevel& level : stackLevels(view.device(), request.moment)) {
                if (level.stack.isValid() && found[level.stack.value]) foundBytes += level.size_bytes;
            }
            RC_ASSERT(nodes[0].found_bytes == foundBytes);
            for (size_t i = 1; i < nodes.size(); ++i) {
                RC_ASSERT(nodes[i].parent < i);
                RC_ASSERT(nodes[i].depth == nodes[nodes[i].parent].depth + 1);
                children[nodes[i].parent] += nodes[i].size_bytes;
                if (i > 1 && nodes[i].parent == nodes[i - 1].parent)
                    RC_ASSERT(nodes[i].size_bytes <= nodes[i - 1].size_bytes);
            }
            // Stacks of the model are two frames deep: inner nodes hold nothing of their own.
            for (size_t i = 0; i < nodes.size(); ++i) {
                if (nodes[i].depth < 2 && (i == 0 || nodes[i].frame.isValid()))
                    RC_ASSERT(children[i] == nodes[i].size_bytes);
            }
        }));
    }

    void peakWithoutStacksIsTheOthers()
    {
        QVERIFY(rc::check("what-if", [] {
            View view(120);
            std::vector<bool> without(view.snapshot->stackCount());
            for (size_t stack = 0; stack < without.size(); ++stack)
                without[stack] = view.random() % 3 == 0;
            int64_t most = -1;
            MemoryMoment at = 0;
            for (MemoryMoment m = 0; m <= view.device().lastMoment(); ++m) {
                int64_t level = 0;
                for (const BlockLifeId life : view.device().activeAt(m)) {
                    const MemoryStackId stack = view.device().blocks.stack[life.value];
                    if (!stack.isValid() || !without[stack.value]) level += view.sizeAt(life.value);
                }
                if (level > most) {
                    most = level;
                    at = m;
                }
            }
            const MemoryPeak peak = peakWithout(view.device(), without);
            RC_ASSERT(peak.levels.active == most && peak.moment == at);
            RC_ASSERT(peak.levels.allocated <= peak.levels.active);
            const MemoryPeak whole = peakWithout(view.device(), {});
            RC_ASSERT(whole.levels == view.device().peaks.active.levels);
        }));
    }

    void segmentsHoldTheirBlocks()
    {
        QVERIFY(rc::check("allocator state", [] {
            View view(150);
            const MemoryMoment moment = view.moment();
            const AllocatorState state = stateAt(view.device(), moment);
            RC_ASSERT(state.homeless == 0u);
            uint64_t reserved = 0, active = 0, blocks = 0, end = 0;
            for (const PlacedSegment& segment : state.segments) {
                RC_ASSERT(segment.address >= end);
                end = segment.address + segment.size_bytes;
                reserved += segment.size_bytes;
                active += segment.active_bytes;
                blocks += segment.blockCount;
                uint64_t at = segment.address;
                for (const PlacedBlock& block : state.blocksOf(segment)) {
                    RC_ASSERT(block.address >= at);
                    at = block.address + block.size_bytes;
                }
                RC_ASSERT(at <= end);
            }
            RC_ASSERT(int64_t(reserved) == state.levels.reserved && int64_t(active) == state.levels.active);
            RC_ASSERT(blocks == state.blocks.size());
            const Fragmentation fragmentation = fragmentationOf(state);
            RC_ASSERT(fragmentation.free_bytes == reserved - active);
            RC_ASSERT(fragmentation.pinned_bytes <= fragmentation.free_bytes);
            RC_ASSERT(fragmentation.largestGap_bytes <= fragmentation.free_bytes);
            uint64_t pinned = 0;
            for (const PinnedSegment& segment : pinnedSegments(state))
                pinned += segment.free_bytes;
            RC_ASSERT(pinned == fragmentation.pinned_bytes);
        }));
    }

    void growthIsCounted()
    {
        QVERIFY(rc::check("growing stacks", [] {
            View view(150);
            std::set<MemoryMoment> drawn;
            for (size_t i = 0; i < 2 + view.random() % 10; ++i)
                drawn.insert(view.moment());
            const std::vector<MemoryMoment> moments(drawn.begin(), drawn.end());
            const auto grown = growingStacks(view.device(), moments, 0, TrendRule(), 1000);
            std::set<uint32_t> listed;
            for (const GrowingStack& stack : grown) {
                listed.insert(stack.stack.value);
                for (size_t i = 0; i < moments.size(); ++i) {
                    int64_t level = 0;
                    for (const BlockLifeId life : view.device().activeAt(moments[i])) {
                        if (view.stackAt(life.value) == stack.stack.value) level += view.sizeAt(life.value);
                    }
                    RC_ASSERT(stack.level_bytes[i] == level);
                }
                RC_ASSERT(stack.growth_bytes > 0 && stack.rises > stack.falls);
            }
            RC_ASSERT(listed.size() == grown.size());
            const auto few = growingStacks(view.device(), moments, 0, TrendRule(), 2);
            RC_ASSERT(few.size() == std::min<size_t>(2, grown.size()));
            for (size_t i = 0; i < few.size(); ++i)
                RC_ASSERT(few[i].stack == grown[i].stack);
            int64_t unfreed = 0;
            for (const UnfreedStack& stack : unfreedStacks(view.device(), {0, kNeverFreed}))
                unfreed += stack.size_bytes;
            int64_t plain = 0;
            for (size_t life = 0; life < view.device().blocks.size(); ++life) {
                const BlockLifeTable& b = view.device().blocks;
                if (b.born[life] > 0 && b.freed[life] == kNeverFreed && b.freeRequested[life] == kNeverFreed)
                    plain += view.sizeAt(life);
            }
            RC_ASSERT(unfreed == plain);
        }));
    }

    void differencesAddUp()
    {
        QVERIFY(rc::check("difference", [] {
            View view(120);
            StringPool strings;
            for (int i = 1; i < 8; ++i)
                strings.intern("frame" + std::to_string(i));
            const MemoryView before{view.device(), *view.snapshot, strings, view.moment()};
            const MemoryView after{view.device(), *view.snapshot, strings, view.moment()};
            const SnapshotDifference difference = snapshotDifference(before, after);
            const SnapshotDifference back = snapshotDifference(after, before);
            int64_t sum = 0, sumBack = 0;
            for (const StackChange& change : difference.stacks)
                sum += change.change_bytes();
            for (const StackChange& change : back.stacks)
                sumBack += change.change_bytes();
            RC_ASSERT(sum == difference.after.active - difference.before.active);
            RC_ASSERT(sumBack == -sum && back.stacks.size() == difference.stacks.size());
            for (const StackChange& change : snapshotDifference(after, after).stacks)
                RC_ASSERT(change.change_bytes() == 0 && change.before == change.after);
        }));
    }
};

LOCKSTEP_TEST(MemoryViewsPropertyTest, "memory_views_property_test")
#include "memory_views_property_test.moc"
