// SPDX-License-Identifier: Apache-2.0
#include "core/memory/allocator_layout.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace lockstep {

namespace {

class AllocatorPlacer {
  public:
    AllocatorPlacer(const AllocatorState& state, int32_t width) : m_state(state), m_width(std::max(1, width))
    {
    }

    AllocatorLayout place(SegmentOrder order)
    {
        std::vector<size_t> large, small;
        for (size_t i = 0; i < m_state.segments.size(); ++i)
            (m_state.segments[i].size_bytes <= kSmallSegment_bytes ? small : large).push_back(i);
        sort(large, order);
        uint64_t smallSize = 0;
        for (const size_t i : small)
            smallSize += m_state.segments[i].size_bytes;
        m_out.scale_bytes = std::max<uint64_t>(1, smallSize);
        for (const size_t i : large)
            m_out.scale_bytes = std::max(m_out.scale_bytes, m_state.segments[i].size_bytes);
        for (const size_t i : large)
            addRow(std::span(&i, 1));
        if (!small.empty()) addRow(small);
        return std::move(m_out);
    }

  private:
    void sort(std::vector<size_t>& segments, SegmentOrder order) const
    {
        const auto shareOf = [](const PlacedSegment& s) {
            return static_cast<double>(s.free_bytes()) /
                   static_cast<double>(std::max<uint64_t>(1, s.size_bytes));
        };
        std::ranges::stable_sort(segments, [&](size_t a, size_t b) {
            const PlacedSegment &x = m_state.segments[a], &y = m_state.segments[b];
            if (order == SegmentOrder::size) return x.size_bytes > y.size_bytes;
            if (order == SegmentOrder::freeShare) return shareOf(x) > shareOf(y);
            return x.address < y.address;
        });
    }

    int32_t pixelOf(uint64_t bytes) const
    {
        const double share = static_cast<double>(bytes) / static_cast<double>(m_out.scale_bytes);
        return static_cast<int32_t>(std::min(1.0, share) * m_width);
    }

    void addRow(std::span<const size_t> segments)
    {
        AllocatorRow row;
        row.address = m_state.segments[segments.front()].address;
        row.segments = static_cast<uint32_t>(segments.size());
        row.isExpandable = m_state.segments[segments.front()].isExpandable;
        row.firstBox = static_cast<uint32_t>(m_out.boxes.size());
        m_lastSize = 0;
        for (const size_t i : segments) {
            const PlacedSegment& segment = m_state.segments[i];
            addSegment(segment, row.size_bytes, row.firstBox);
            row.size_bytes += segment.size_bytes;
            row.free_bytes += segment.free_bytes();
        }
        row.boxCount = static_cast<uint32_t>(m_out.boxes.size()) - row.firstBox;
        m_out.rows.push_back(row);
    }

    void addSegment(const PlacedSegment& segment, uint64_t offset, uint32_t firstBox)
    {
        uint64_t at = segment.address;
        const uint64_t end = segment.address + segment.size_bytes;
        const auto add = [&](uint64_t begin, uint64_t until, const PlacedBlock* block) {
            if (until > begin)
                addBox(pixelOf(offset + (begin - segment.address)),
                       pixelOf(offset + (until - segment.address)), block, firstBox);
        };
        for (const PlacedBlock& block : m_state.blocksOf(segment)) {
            const uint64_t begin = std::max(at, block.address),
                           until = std::min(end, block.address + block.size_bytes);
            add(at, begin, nullptr);
            add(begin, until, &block);
            at = std::max(at, until);
        }
        add(at, end, nullptr);
    }

    // What begins in a pixel that the box before it has taken shares that box.
    void addBox(int32_t left, int32_t right, const PlacedBlock* block, uint32_t firstBox)
    {
        right = std::max(right, left + 1);
        const bool isFirst = m_out.boxes.size() == firstBox;
        if (!isFirst && m_out.boxes.back().right > left) {
            AllocatorBox& before = m_out.boxes.back();
            if (right <= before.right) {
                if (block == nullptr) return;
                if (before.blocks == 0 && before.right - before.left > 1) {
                    --before.right; // the last pixel of what is free is the block's
                    left = right - 1;
                } else {
                    if (block->size_bytes > m_lastSize) take(before, *block);
                    ++before.blocks;
                    return;
                }
            } else {
                left = before.right;
            }
        }
        AllocatorBox box{left, right, {}, 0, false};
        m_lastSize = 0;
        if (block != nullptr) {
            take(box, *block);
            box.blocks = 1;
        }
        m_out.boxes.push_back(box);
    }

    void take(AllocatorBox& box, const PlacedBlock& block)
    {
        box.life = block.life;
        box.isPending = block.isPending;
        m_lastSize = block.size_bytes;
    }

    const AllocatorState& m_state;
    const int32_t m_width;
    AllocatorLayout m_out;
    uint64_t m_lastSize = 0; // of the block that the last box shows
};

} // namespace

const AllocatorBox* AllocatorLayout::boxAt(size_t row, int32_t x) const
{
    if (row >= rows.size()) return nullptr;
    const auto placed = boxesOf(rows[row]);
    const auto after = std::ranges::upper_bound(placed, x, {}, &AllocatorBox::left);
    if (after == placed.begin()) return nullptr;
    const AllocatorBox& box = *std::prev(after);
    return x < box.right ? &box : nullptr;
}

AllocatorLayout layOutAllocator(const AllocatorState& state, int32_t width, SegmentOrder order)
{
    return AllocatorPlacer(state, width).place(order);
}

} // namespace lockstep
