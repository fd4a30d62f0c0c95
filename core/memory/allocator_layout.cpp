// SPDX-License-Identifier: Apache-2.0
#include "core/memory/allocator_layout.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>

#include "core/base/text.h"
#include "core/memory/allocations.h"

namespace lockstep {

namespace {

std::string_view withoutBlanks(std::string_view text)
{
    const size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
    return first == std::string_view::npos ? std::string_view() : text.substr(first, last - first + 1);
}

constexpr size_t kMinDigits = 4; // shorter strings match too many addresses and may be words

struct AddressQuery {
    uint64_t value = 0;
    std::string digits; // lower case
};

std::optional<AddressQuery> addressIn(std::string_view text)
{
    if (text.starts_with("0x")) text.remove_prefix(2);
    AddressQuery out;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out.value, 16);
    if (error != std::errc() || end != text.data() + text.size() || text.size() < kMinDigits) return {};
    out.digits = text;
    return out;
}

bool isAddressOf(const PlacedBlock& block, const AddressQuery& query)
{
    if (query.value >= block.address && query.value - block.address < block.size_bytes) return true;
    std::array<char, 16> digits{};
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), block.address, 16);
    return std::string_view(digits.data(), static_cast<size_t>(end - digits.data()))
        .starts_with(query.digits);
}

} // namespace

FoundBlocks findBlocks(const AllocatorState& state, const DeviceReplay& device,
                       const MemorySnapshot& snapshot, const StringPool& strings, std::string_view text)
{
    FoundBlocks out;
    out.isFound.resize(state.blocks.size());
    const std::string query = lowerAscii(withoutBlanks(text));
    if (query.empty()) return out;
    const auto address = addressIn(query);
    const std::vector<bool> stacks = stacksWith(snapshot, framesWith(snapshot, strings, query));
    for (size_t i = 0; i < state.blocks.size(); ++i) {
        const PlacedBlock& block = state.blocks[i];
        const MemoryStackId stack = device.blocks.stack[block.life.value];
        if (!(stack.isValid() && stacks[stack.value]) && !(address && isAddressOf(block, *address))) continue;
        out.isFound[i] = 1;
        ++out.count;
        out.size_bytes += block.size_bytes;
    }
    return out;
}

namespace {

using PoolId = std::array<uint64_t, 2>;

PoolId poolIdOf(const PlacedSegment& segment, const MemorySnapshot& snapshot)
{
    const auto& pools = snapshot.segments.pool;
    return segment.dumpSegment < pools.size() ? pools[segment.dumpSegment] : PoolId();
}

MemoryPool poolOf(const PlacedSegment& segment, const PoolId& id)
{
    if (id != PoolId()) return MemoryPool::privatePool;
    return segment.size_bytes <= kSmallSegment_bytes ? MemoryPool::small : MemoryPool::large;
}

class AllocatorPlacer {
  public:
    AllocatorPlacer(const AllocatorState& state, const MemorySnapshot& snapshot,
                    const AllocatorRequest& request)
        : m_state(state), m_snapshot(snapshot), m_request(request), m_width(std::max(1, request.width))
    {
    }

    AllocatorLayout place()
    {
        std::vector<size_t> large;
        std::map<PoolId, std::vector<size_t>> small; // small segments, grouped by pool
        for (size_t i = 0; i < m_state.segments.size(); ++i) {
            const PlacedSegment& segment = m_state.segments[i];
            const PoolId id = poolIdOf(segment, m_snapshot);
            if (m_request.pool && poolOf(segment, id) != *m_request.pool) {
                ++m_out.left;
            } else {
                (segment.size_bytes <= kSmallSegment_bytes ? small[id] : large).push_back(i);
            }
        }
        sort(large, m_request.order);
        for (const auto& [id, segments] : small) {
            uint64_t size = 0;
            for (const size_t i : segments)
                size += m_state.segments[i].size_bytes;
            m_out.scale_bytes = std::max(m_out.scale_bytes, size);
        }
        for (const size_t i : large)
            m_out.scale_bytes = std::max(m_out.scale_bytes, m_state.segments[i].size_bytes);
        for (const size_t i : large)
            addRow(std::span(&i, 1));
        for (const auto& [id, segments] : small)
            addRow(segments);
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
        const PlacedSegment& first = m_state.segments[segments.front()];
        row.address = first.address;
        row.segments = static_cast<uint32_t>(segments.size());
        row.isExpandable = first.isExpandable;
        row.poolId = poolIdOf(first, m_snapshot);
        row.pool = poolOf(first, row.poolId);
        row.firstBox = static_cast<uint32_t>(m_out.boxes.size());
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

    // A range that begins in the last pixel of the previous box shares that box.
    void addBox(int32_t left, int32_t right, const PlacedBlock* block, uint32_t firstBox)
    {
        right = std::max(right, left + 1);
        const bool isFirst = m_out.boxes.size() == firstBox;
        if (!isFirst && m_out.boxes.back().right > left) {
            AllocatorBox& before = m_out.boxes.back();
            if (right <= before.right) {
                if (block == nullptr) return;
                if (before.blocks == 0 && before.right - before.left > 1) {
                    --before.right; // a block takes over the last pixel of a gap
                    left = right - 1;
                } else {
                    const bool isMore =
                        isFound(*block) != m_isLastFound ? isFound(*block) : block->size_bytes > m_lastSize;
                    if (isMore) take(before, *block);
                    count(before, *block);
                    return;
                }
            } else {
                left = before.right;
            }
        }
        AllocatorBox box{left, right, {}, 0, 0, false};
        m_lastSize = 0;
        m_isLastFound = false;
        if (block != nullptr) {
            take(box, *block);
            count(box, *block);
        }
        m_out.boxes.push_back(box);
    }

    void take(AllocatorBox& box, const PlacedBlock& block)
    {
        box.life = block.life;
        box.isPending = block.isPending;
        m_lastSize = block.size_bytes;
        m_isLastFound = isFound(block);
    }

    void count(AllocatorBox& box, const PlacedBlock& block)
    {
        ++box.blocks;
        box.found += isFound(block);
    }

    bool isFound(const PlacedBlock& block) const
    {
        const auto row = static_cast<size_t>(&block - m_state.blocks.data());
        return m_request.found != nullptr && m_request.found->isFound[row] != 0;
    }

    const AllocatorState& m_state;
    const MemorySnapshot& m_snapshot;
    const AllocatorRequest& m_request;
    const int32_t m_width;
    AllocatorLayout m_out;
    uint64_t m_lastSize = 0; // size of the block shown by the last box
    bool m_isLastFound = false;
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

AllocatorLayout layOutAllocator(const AllocatorState& state, const MemorySnapshot& snapshot,
                                const AllocatorRequest& request)
{
    return AllocatorPlacer(state, snapshot, request).place();
}

} // namespace lockstep
