// SPDX-License-Identifier: Apache-2.0
// Tests the boxes of flame graphs and segments: they are side by side, nothing is lost, and every box can be
// clicked.
#include <rapidcheck.h>

#include "core/base/flame_layout.h"
#include "core/memory/allocations.h"
#include "core/memory/allocator_layout.h"
#include "tests/support/random_replay.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using lockstep::test::RandomReplay;

class MemoryBoxesPropertyTest : public QObject {
    Q_OBJECT

  private slots:
    void flameBoxesKeepEveryByteAndCanBeClicked()
    {
        QVERIFY(rc::check("flame boxes", [] {
            RandomReplay view(200);
            FlameRequest tree;
            tree.moment = view.moment();
            tree.isInverted = view.random() % 2 == 0;
            const auto nodes = flameTree(view.device(), *view.snapshot, tree);
            FlameLayoutRequest request;
            request.focus = static_cast<uint32_t>(view.random() % nodes.size());
            request.width = static_cast<int32_t>(1 + view.random() % 300);
            request.narrowest = static_cast<int32_t>(1 + view.random() % 4);
            request.isByCount = view.random() % 2 == 0;
            const FlameLayout layout = layOutFlame(framesOf(nodes), request);
            int32_t right = 0;
            for (size_t i = 0; i < layout.boxes.size(); ++i) {
                const FlameBox& box = layout.boxes[i];
                if (i == 0 || layout.boxes[i - 1].row != box.row) right = 0;
                RC_ASSERT(box.left >= right && box.left < box.right && box.right <= request.width);
                right = box.right;
                RC_ASSERT(box.row == nodes[box.node].depth && box.row < layout.rows);
                RC_ASSERT(layout.boxAt(box.row, box.left) == i && layout.boxAt(box.row, box.right - 1) == i);
                int64_t size_bytes = 0;
                for (uint32_t node = box.node; node < box.node + std::max(1u, box.merged); ++node) {
                    RC_ASSERT(nodes[node].parent == nodes[box.node].parent);
                    size_bytes += nodes[node].size_bytes;
                }
                RC_ASSERT(box.size == size_bytes);
            }
            RC_ASSERT(layout.boxes[nodes[request.focus].depth].right == request.width);
        }));
    }

    // If a pixel is one byte, nothing is merged: every frame below the focus has its box.
    void wideFlamesDrawEveryFrame()
    {
        QVERIFY(rc::check("wide flames", [] {
            RandomReplay view(30);
            FlameRequest tree;
            tree.moment = view.moment();
            const auto nodes = flameTree(view.device(), *view.snapshot, tree);
            if (nodes[0].blocks == 0) return;
            const FlameLayout layout =
                layOutFlame(framesOf(nodes), {0, static_cast<int32_t>(nodes[0].blocks * 100), 3, true});
            RC_ASSERT(layout.boxes.size() == nodes.size() && layout.unseen == 0);
            for (const FlameBox& box : layout.boxes) {
                const auto exact = static_cast<double>(nodes[box.node].blocks) * 100;
                RC_ASSERT(std::abs(box.right - box.left - exact) <= 1);
            }
        }));
    }

    void skippedFramesLoseNoByte()
    {
        QVERIFY(rc::check("passed over", [] {
            RandomReplay view(120);
            FlameRequest request;
            request.moment = view.moment();
            for (size_t i = 0; i < view.snapshot->frames.size(); ++i)
                request.isOmitted.push_back(view.random() % 2 == 0);
            request.categories.assign(view.snapshot->stackCount(), MemoryCategory::other);
            const auto nodes = flameTree(view.device(), *view.snapshot, request);
            RC_ASSERT(nodes[0].size_bytes == view.device().levelsAt(request.moment).active);
            std::vector<int64_t> left;
            for (const FlameNode& node : nodes)
                left.push_back(node.size_bytes);
            for (size_t i = 1; i < nodes.size(); ++i)
                RC_ASSERT((left[nodes[i].parent] -= nodes[i].size_bytes) >= 0);
        }));
    }

    void segmentBoxesContainEveryBlockAndCanBeClicked()
    {
        QVERIFY(rc::check("segment boxes", [] {
            RandomReplay view(200);
            const AllocatorState state = stateAt(view.device(), view.moment());
            const auto width = static_cast<int32_t>(1 + view.random() % 2000);
            const auto order = static_cast<SegmentOrder>(view.random() % 3);
            FoundBlocks sought;
            for (size_t i = 0; i < state.blocks.size(); ++i)
                sought.isFound.push_back(view.random() % 3 == 0);
            const AllocatorLayout layout =
                layOutAllocator(state, *view.snapshot, {width, order, {}, &sought});
            uint64_t size = 0, free = 0, segments = 0, blocks = 0, found = 0;
            const auto isSought = [&](BlockLifeId life) {
                const auto at = std::ranges::find(state.blocks, life, &PlacedBlock::life);
                return sought.isFound[static_cast<size_t>(at - state.blocks.begin())] != 0;
            };
            for (size_t row = 0; row < layout.rows.size(); ++row) {
                size += layout.rows[row].size_bytes;
                free += layout.rows[row].free_bytes;
                segments += layout.rows[row].segments;
                int32_t right = 0;
                for (const AllocatorBox& box : layout.boxesOf(layout.rows[row])) {
                    RC_ASSERT(box.left >= right && box.left < box.right);
                    RC_ASSERT(box.life.isValid() == (box.blocks > 0));
                    RC_ASSERT(layout.boxAt(row, box.left) == &box &&
                              layout.boxAt(row, box.right - 1) == &box);
                    right = box.right;
                    blocks += box.blocks;
                    found += box.found;
                    if (box.blocks > 0) RC_ASSERT((box.found > 0) == isSought(box.life));
                }
            }
            RC_ASSERT(segments == state.segments.size());
            RC_ASSERT(blocks == state.blocks.size() - state.outsideSegments);
            uint64_t stateSize = 0, stateFree = 0;
            for (const PlacedSegment& segment : state.segments) {
                stateSize += segment.size_bytes;
                stateFree += segment.free_bytes();
            }
            RC_ASSERT(size == stateSize && free == stateFree);
            const auto housed = sought.isFound.end() - static_cast<ptrdiff_t>(state.outsideSegments);
            RC_ASSERT(found == static_cast<uint64_t>(std::count(sought.isFound.begin(), housed, 1)));
        }));
    }

    void poolsPartitionTheSegments()
    {
        QVERIFY(rc::check("pools", [] {
            RandomReplay view(200);
            const AllocatorState state = stateAt(view.device(), view.moment());
            uint64_t size = 0, segments = 0, left = 0;
            for (const MemoryPool pool : {MemoryPool::large, MemoryPool::small, MemoryPool::privatePool}) {
                const AllocatorLayout layout =
                    layOutAllocator(state, *view.snapshot, {300, SegmentOrder::address, pool, nullptr});
                left += layout.left;
                for (const AllocatorRow& row : layout.rows) {
                    RC_ASSERT(row.pool == pool);
                    segments += row.segments;
                    size += row.size_bytes;
                }
            }
            uint64_t whole = 0;
            for (const PlacedSegment& segment : state.segments)
                whole += segment.size_bytes;
            RC_ASSERT(size == whole && segments == state.segments.size() && left == 2 * segments);
        }));
    }
};

LOCKSTEP_TEST(MemoryBoxesPropertyTest, "memory_boxes_property_test")
#include "memory_boxes_property_test.moc"
