// SPDX-License-Identifier: Apache-2.0
#include "core/trace/nesting.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace lockstep {

namespace {

constexpr size_t kMaxRows = 65'535;
constexpr size_t kParentSearch =
    128; // maximum number of open slices examined for a parent; slices nested deeper get no parent

// FreeRows stores the end of the last slice in each row. It finds the first row, starting at row r, that is
// free at time t in O(log rows).
class FreeRows {
  public:
    size_t count() const { return m_count; }

    // Returns the first row >= from whose last slice ended at or before t, or a new row if all of these rows
    // are occupied.
    size_t firstFree(size_t from, int64_t t)
    {
        const size_t scanEnd = std::min(m_count, from + 8); // for well-nested tracks, the search ends here
        for (size_t row = from; row < scanEnd; ++row) {
            if (m_minEnd[m_leaves + row] <= t) return row;
        }
        return scanEnd == m_count ? std::max(from, m_count)
                                  : std::min(m_count, search(1, 0, m_leaves, scanEnd, t));
    }

    void occupy(size_t row, int64_t end)
    {
        if (row >= m_count) m_count = row + 1;
        while (row >= m_leaves)
            grow();
        for (size_t node = m_leaves + row; node > 0; node /= 2) {
            m_minEnd[node] = node >= m_leaves ? end : std::min(m_minEnd[2 * node], m_minEnd[2 * node + 1]);
        }
    }

  private:
    static constexpr size_t kNoRow = std::numeric_limits<size_t>::max();
    static constexpr int64_t kFree = std::numeric_limits<int64_t>::min();

    size_t search(size_t node, size_t begin, size_t width, size_t from, int64_t t) const
    {
        if (begin + width <= from || m_minEnd[node] > t) return kNoRow;
        if (width == 1) return begin;
        const size_t left = search(2 * node, begin, width / 2, from, t);
        return left != kNoRow ? left : search(2 * node + 1, begin + width / 2, width / 2, from, t);
    }

    void grow()
    {
        const std::vector<int64_t> old = std::move(m_minEnd);
        const size_t oldLeaves = m_leaves;
        m_leaves *= 2;
        m_minEnd.assign(2 * m_leaves, kFree);
        std::copy_n(old.begin() + static_cast<ptrdiff_t>(oldLeaves), oldLeaves,
                    m_minEnd.begin() + static_cast<ptrdiff_t>(m_leaves));
        for (size_t node = m_leaves - 1; node > 0; --node) {
            m_minEnd[node] = std::min(m_minEnd[2 * node], m_minEnd[2 * node + 1]);
        }
    }

    size_t m_count = 0;
    size_t m_leaves = 16;
    std::vector<int64_t> m_minEnd = std::vector<int64_t>(32, kFree);
};

struct Open {
    int64_t end;
    uint32_t index;
};

// Removes slices that have ended and returns the innermost open slice that extends at least to `end`.
const Open* containing(std::vector<Open>& open, int64_t start, int64_t end)
{
    while (!open.empty() && open.back().end <= start)
        open.pop_back();
    const size_t limit = std::min(open.size(), kParentSearch);
    for (size_t i = 1; i <= limit; ++i) {
        const Open& candidate = open[open.size() - i];
        if (candidate.end >= end && candidate.end > start) return &candidate;
    }
    return nullptr;
}

} // namespace

// Finds depths and parents in one sweep over the slices in order of their starts. A stack holds the slices
// that have not ended; the innermost one that extends at least to the end of the current slice is its parent.
// The slice takes the first free row below its parent's row, which a tournament tree over the last end of
// each row finds. Invariant: the last end of a row is the greatest end of its slices, so slices of one row
// never overlap. Costs O(1) per slice on well-nested tracks, and O(log rows) where slices cross.
size_t nestSlices(std::span<const int64_t> start_ns, std::span<const int64_t> duration_ns, SliceId first,
                  const Nesting& out, uint64_t* overflowed)
{
    FreeRows rows;
    std::vector<Open> open;
    for (size_t i = 0; i < start_ns.size(); ++i) {
        const int64_t end = start_ns[i] + duration_ns[i];
        const Open* const parent = containing(open, start_ns[i], end);
        const size_t above = parent != nullptr ? out.depth[parent->index] + size_t(1) : 0;
        size_t row = rows.firstFree(above, start_ns[i]);
        if (row >= kMaxRows) {
            row = kMaxRows - 1;
            if (overflowed != nullptr) ++*overflowed;
        }
        rows.occupy(row, end);
        out.parent[i] = parent != nullptr ? SliceId(first.value + parent->index) : SliceId();
        out.depth[i] = static_cast<uint16_t>(row);
        open.push_back({end, static_cast<uint32_t>(i)});
    }
    return rows.count();
}

void nestSamples(std::span<const int64_t> start_ns, std::span<const int64_t> duration_ns,
                 std::span<const RowKind> kinds, SliceId first, const Nesting& out)
{
    std::vector<uint32_t> last; // by row: the latest slice
    for (uint32_t i = 0; i < start_ns.size(); ++i) {
        const uint16_t row = out.depth[i];
        if (row >= last.size()) last.resize(row + size_t(1), SliceId::kNone);
        out.parent[i] = SliceId();
        for (uint16_t above = row; above > 0 && kinds[i] != RowKind::sample; --above) {
            const uint32_t candidate = last[above - size_t(1)];
            if (candidate == SliceId::kNone) continue;
            const int64_t end = start_ns[candidate] + duration_ns[candidate];
            const bool contains = end >= start_ns[i] + duration_ns[i];
            if (contains) out.parent[i] = SliceId(first.value + candidate);
            if (contains || kinds[candidate] == RowKind::sample) break;
        }
        last[row] = i;
    }
}

} // namespace lockstep
