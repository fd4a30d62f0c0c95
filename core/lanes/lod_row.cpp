// SPDX-License-Identifier: Apache-2.0
#include "core/lanes/lod_row.h"

#include <algorithm>
#include <array>
#include <bit>

#include "core/lanes/block_sum.h"

namespace lockstep {

namespace {

constexpr uint32_t kBlock = RowSums::kBlock;
constexpr size_t kCategories = static_cast<size_t>(SliceCategory::count);
using CategoryTimes = std::array<int64_t, kCategories>;

template<class T>
size_t bytesOf(const std::vector<T>& column)
{
    return column.capacity() * sizeof(T);
}

void fillLongest(const RowColumns& row, int64_t* out)
{
    uint32_t children = row.count;
    const int64_t* below = nullptr;
    do {
        const uint32_t blocks = RowSums::blocksOf(children);
        for (uint32_t block = 0; block < blocks; ++block) {
            int64_t longest = 0;
            for (uint32_t i = block * kBlock; i < std::min(children, (block + 1) * kBlock); ++i) {
                longest = std::max(longest, below == nullptr ? row.duration_ns[row.rowAt(i)] : below[i]);
            }
            out[block] = longest;
        }
        below = out;
        out += blocks;
        children = blocks;
    } while (children > 1);
}

void fillMix(const RowColumns& row, uint16_t mask, int64_t* out)
{
    CategoryTimes before = {};
    for (uint32_t i = 0;; ++i) {
        if (i % kBlock == 0) {
            for (uint32_t rest = mask; rest != 0; rest &= rest - 1)
                *out++ = before[size_t(std::countr_zero(rest))];
        }
        if (i >= row.count) break;
        before[static_cast<size_t>(row.category[row.rowAt(i)])] += row.duration_ns[row.rowAt(i)];
    }
}

} // namespace

uint32_t RowSums::longestEntriesOf(uint32_t count)
{
    uint32_t entries = 0;
    do {
        count = blocksOf(count);
        entries += count;
    } while (count > 1);
    return entries;
}

size_t RowSums::residentBytes() const
{
    return start_ns.residentBytes() + busy_ns.residentBytes() + longest_ns.residentBytes() +
           mix_ns.residentBytes();
}

RowSumsAt sumsAfter(RowSumsAt at, uint32_t count, uint16_t mask)
{
    at.start += RowSums::blocksOf(count);
    at.busy += RowSums::blocksOf(count) + 1;
    at.longest += count > 0 ? RowSums::longestEntriesOf(count) : 0;
    const auto kinds = static_cast<uint32_t>(std::popcount(uint32_t(mask)));
    if (kinds > 1) at.mix += (count / RowSums::kBlock + 1) * kinds;
    return at;
}

void fillRowSums(const RowColumns& row, uint16_t mask, RowSums& sums, RowSumsAt at)
{
    int64_t busy = 0;
    for (uint32_t i = 0; i < row.count; ++i) {
        if (i % kBlock == 0) {
            sums.start_ns[at.start + i / kBlock] = row.start_ns[row.rowAt(i)];
            sums.busy_ns[at.busy + i / kBlock] = busy;
        }
        busy += row.duration_ns[row.rowAt(i)];
    }
    sums.busy_ns[at.busy + RowSums::blocksOf(row.count)] = busy;
    if (row.count > 0) fillLongest(row, sums.longest_ns.data() + at.longest);
    if ((mask & (mask - 1)) != 0) fillMix(row, mask, sums.mix_ns.data() + at.mix);
}

LodRow::LodRow(RowColumns columns, uint16_t mask, SliceId firstSlice, const RowSums& sums, RowSumsAt at)
    : m_columns(columns), m_mask(mask), m_firstSlice(firstSlice), m_start(sums.start_ns.data() + at.start),
      m_busy(sums.busy_ns.data() + at.busy), m_longest(sums.longest_ns.data() + at.longest),
      m_mix(sums.mix_ns.data() + at.mix)
{
    m_kinds = 0;
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        if (m_kinds < m_kindAt.size()) m_kindAt[m_kinds] = static_cast<SliceCategory>(std::countr_zero(rest));
        ++m_kinds;
    }
}

// Exponential (galloping) search. Returns the number of blocks whose first slice starts before t. Blocks
// before the block of `from` are known to start before t. If the pixels have similar density, the result is
// close to `from`.
uint32_t LodRow::blocksStartingBefore(int64_t t, uint32_t from) const
{
    const uint32_t blocks = RowSums::blocksOf(m_columns.count);
    uint32_t low = from / kBlock;
    uint32_t high = low;
    for (uint32_t step = 1; high < blocks && m_start[high] < t; step *= 2) {
        low = high + 1;
        high += step;
    }
    high = std::min(high, blocks);
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        (m_start[middle] < t ? low : high) = m_start[middle] < t ? middle + 1 : middle;
    }
    return low;
}

uint32_t LodRow::firstStartingAt(int64_t t, uint32_t from) const
{
    const uint32_t blocks = blocksStartingBefore(t, from);
    if (blocks == 0) return 0;
    const uint32_t begin = (blocks - 1) * kBlock;
    const uint32_t end = std::min(begin + kBlock, m_columns.count);
    uint32_t at = begin;
    for (uint32_t i = begin; i < end; ++i)
        at += start(i) < t ? 1 : 0;
    return at;
}

uint32_t LodRow::firstReaching(int64_t t) const
{
    const uint32_t at = firstStartingAt(t);
    return at > 0 && end(at - 1) > t ? at - 1 : at;
}

RowBoundary LodRow::boundaryAt(int64_t t, uint32_t from) const
{
    RowBoundary out;
    findBoundary(t, from, out);
    return out;
}

void LodRow::findBoundary(int64_t t, uint32_t from, RowBoundary& out) const
{
    const uint32_t blocks = blocksStartingBefore(t, from);
    if (blocks == 0) {
        out = {};
        return;
    }
    switch (carriesMix() ? m_kinds : 1) {
    case 1:
        return findIn<1>(blocks - 1, t, out);
    case 2:
        return findIn<2>(blocks - 1, t, out);
    case 3:
        return findIn<3>(blocks - 1, t, out);
    default:
        return findIn<4>(blocks - 1, t, out);
    }
}

template<uint32_t kKinds>
void LodRow::findIn(uint32_t block, int64_t t, RowBoundary& out) const
{
    if (m_columns.index != nullptr) return findIn<kKinds, true>(block, t, out);
    findIn<kKinds, false>(block, t, out);
}

template<uint32_t kKinds, bool kIsIndexed>
void LodRow::findIn(uint32_t block, int64_t t, RowBoundary& out) const
{
    const uint32_t begin = block * kBlock;
    const uint32_t count = std::min(kBlock, m_columns.count - begin);
    BlockSum<kKinds> sum;
    if (kIsIndexed || count < kBlock || !sumWideBlock(m_columns, m_kindAt.data(), begin, t, sum))
        sumBlock<kKinds, kIsIndexed>(m_columns, m_kindAt.data(), begin, count, t, sum);
    // The first slice of the block starts before t.
    const uint32_t last = kIsIndexed ? m_columns.index[begin + sum.before - 1] : begin + sum.before - 1;
    const int64_t late_ns = std::max<int64_t>(0, m_columns.start_ns[last] + m_columns.duration_ns[last] - t);
    out.next = begin + sum.before;
    out.busy_ns = m_busy[block] + sum.busy_ns - late_ns;
    if constexpr (kKinds > 1) {
        int64_t rest_ns = out.busy_ns; // the last category gets the remaining time
        for (uint32_t kind = 0; kind + 1 < kKinds; ++kind) {
            out.mix_ns[kind] = m_mix[size_t(block) * kKinds + kind] + sum.mix_ns[kind] -
                               (m_columns.category[last] == m_kindAt[kind] ? late_ns : 0);
            rest_ns -= out.mix_ns[kind];
        }
        out.mix_ns[kKinds - 1] = rest_ns;
    }
}

RowSummary LodRow::summarize(TimeRange range) const
{
    RowSummary out;
    if (range.isEmpty() || m_columns.count == 0) return out;
    const RowBoundary left = boundaryAt(range.begin.ns);
    const RowBoundary right = boundaryAt(range.end.ns, left.next);
    const uint32_t first = left.next > 0 && end(left.next - 1) > range.begin.ns ? left.next - 1 : left.next;
    out.count = right.next - first;
    if (out.count == 0) return out;
    out.busy_ns = right.busy_ns - left.busy_ns;
    out.longest = longestIn(first, right.next);
    out.category = dominantBetween(left, right, first, range);
    return out;
}

uint32_t LodRow::longestIn(uint32_t first, uint32_t last) const
{
    int64_t best = -1;
    uint32_t at = first;
    if (last - first < kBlock) {
        for (uint32_t i = first; i < last; ++i) {
            const int64_t ns = duration(i);
            at = ns > best ? i : at;
            best = std::max(best, ns);
        }
        return at;
    }
    uint32_t size = 1; // number of slices that the maximum covers: 1, or a power of kBlock
    const int64_t* level = nullptr;
    const int64_t* winner = nullptr;
    for (uint32_t i = first; i < last;) {
        if (i % kBlock != 0 || last - i < kBlock) {
            if (duration(i) > best) {
                best = duration(i);
                at = i;
                size = 1;
            }
            ++i;
            continue;
        }
        uint32_t span = kBlock, block = i / kBlock, children = RowSums::blocksOf(m_columns.count);
        level = m_longest;
        while (block % kBlock == 0 && last - i >= uint64_t(span) * kBlock) {
            level += children;
            children = RowSums::blocksOf(children);
            block /= kBlock;
            span *= kBlock;
        }
        if (level[block] > best) {
            best = level[block];
            at = i;
            size = span;
            winner = level;
        }
        i += span;
    }
    // Descends from the block that has the maximum to the first slice with that length.
    while (size > 1) {
        size /= kBlock;
        if (size > 1) {
            uint32_t entries = m_columns.count;
            for (uint32_t s = size; s > 1; s /= kBlock)
                entries = RowSums::blocksOf(entries);
            winner -= entries;
        }
        while ((size > 1 ? winner[at / size] : duration(at)) != best)
            at += size;
    }
    return at;
}

SliceCategory LodRow::dominantBetween(const RowBoundary& left, const RowBoundary& right, uint32_t first,
                                      TimeRange range) const
{
    if (!carriesMix()) return dominantIn(first, right.next, range);
    int64_t most = 0;
    SliceCategory category = SliceCategory::count;
    uint32_t kind = 0;
    for (uint32_t rest = m_mask; rest != 0; rest &= rest - 1, ++kind) {
        const int64_t busy = right.mix_ns[kind] - left.mix_ns[kind];
        if (busy <= most) continue;
        most = busy;
        category = static_cast<SliceCategory>(std::countr_zero(rest));
    }
    return most > 0 ? category : this->category(longestIn(first, right.next));
}

SliceCategory LodRow::dominantIn(uint32_t first, uint32_t last, TimeRange range) const
{
    if (isOneCategory()) return static_cast<SliceCategory>(std::countr_zero(uint32_t(m_mask)));
    // Most stretches have a single category, which is cheap to detect.
    if (last - first <= 2 * kBlock) {
        const SliceCategory only = category(first);
        uint32_t i = first + 1;
        while (i < last && category(i) == only)
            ++i;
        if (i == last) return only;
    }
    CategoryTimes busy;
    for (uint32_t rest = m_mask; rest != 0; rest &= rest - 1)
        busy[size_t(std::countr_zero(rest))] = 0;
    const auto add = [&](uint32_t i) { busy[static_cast<size_t>(category(i))] += duration(i); };
    const uint32_t firstBlock = (first + kBlock - 1) / kBlock, lastBlock = last / kBlock;
    if (firstBlock < lastBlock) {
        const auto kinds = static_cast<uint32_t>(std::popcount(uint32_t(m_mask)));
        const int64_t *before = m_mix + size_t(firstBlock) * kinds,
                      *after = m_mix + size_t(lastBlock) * kinds;
        for (uint32_t rest = m_mask; rest != 0; rest &= rest - 1) {
            busy[size_t(std::countr_zero(rest))] += *after++ - *before++;
        }
        for (uint32_t i = first; i < firstBlock * kBlock; ++i)
            add(i);
        for (uint32_t i = lastBlock * kBlock; i < last; ++i)
            add(i);
    } else {
        for (uint32_t i = first; i < last; ++i)
            add(i);
    }
    busy[static_cast<size_t>(category(first))] -= std::max<int64_t>(0, range.begin.ns - start(first));
    busy[static_cast<size_t>(category(last - 1))] -= std::max<int64_t>(0, end(last - 1) - range.end.ns);
    size_t most = static_cast<size_t>(std::countr_zero(uint32_t(m_mask)));
    for (uint32_t rest = m_mask; rest != 0; rest &= rest - 1) {
        if (busy[size_t(std::countr_zero(rest))] > busy[most]) most = size_t(std::countr_zero(rest));
    }
    return busy[most] > 0 ? static_cast<SliceCategory>(most) : category(longestIn(first, last));
}

} // namespace lockstep
