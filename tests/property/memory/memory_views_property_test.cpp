// SPDX-License-Identifier: Apache-2.0
// Compares the views of a replay (areas, tables by stack, flame trees, what-if, segments, growth,
// differences) with a plain count over its blocks.
#include <rapidcheck.h>

#include <map>
#include <set>

#include "core/memory/allocations.h"
#include "core/memory/allocator_state.h"
#include "core/memory/leaks.h"
#include "core/memory/snapshot_difference.h"
#include "tests/support/random_replay.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using lockstep::test::RandomReplay;

class MemoryViewsPropertyTest : public QObject {
    Q_OBJECT

  private slots:
    void usesByStackAreCounted()
    {
        QVERIFY(rc::check("table of stacks", [] {
            RandomReplay view(120);
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
            RandomReplay view(120);
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
            // Stacks of the model are two frames deep: inner nodes allocate nothing themselves.
            for (size_t i = 0; i < nodes.size(); ++i) {
                if (nodes[i].depth < 2 && (i == 0 || nodes[i].frame.isValid()))
                    RC_ASSERT(children[i] == nodes[i].size_bytes);
            }
        }));
    }

    void peakWithoutStacksEqualsTheRest()
    {
        QVERIFY(rc::check("what-if", [] {
            RandomReplay view(120);
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

    void segmentsContainTheirBlocks()
    {
        QVERIFY(rc::check("allocator state", [] {
            RandomReplay view(150);
            const MemoryMoment moment = view.moment();
            const AllocatorState state = stateAt(view.device(), moment);
            RC_ASSERT(state.outsideSegments == 0u);
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
            RandomReplay view(150);
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
                if (b.allocated[life] > 0 && b.freed[life] == kNeverFreed &&
                    b.freeRequested[life] == kNeverFreed)
                    plain += view.sizeAt(life);
            }
            RC_ASSERT(unfreed == plain);
        }));
    }

    void differencesAddUp()
    {
        QVERIFY(rc::check("difference", [] {
            RandomReplay view(120);
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
