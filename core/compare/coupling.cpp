// SPDX-License-Identifier: Apache-2.0
#include "core/compare/coupling.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace lockstep {

namespace {

// Sorts by the times on one side; if several knots have the same time, only the last is kept.
std::vector<CouplingKnot> knotsBy(std::vector<CouplingKnot> knots, TraceTime CouplingKnot::*side)
{
    std::ranges::stable_sort(knots, {}, side);
    std::vector<CouplingKnot> out;
    for (const CouplingKnot& knot : knots) {
        if (!out.empty() && out.back().*side == knot.*side) out.pop_back();
        out.push_back(knot);
    }
    return out;
}

Duration shiftBefore(const std::vector<CouplingKnot>& knots, TraceTime t, TraceTime CouplingKnot::*side)
{
    if (knots.empty()) return {};
    const auto after = std::ranges::upper_bound(knots, t, {}, side);
    const CouplingKnot& knot = after == knots.begin() ? *after : *(after - 1);
    return knot.b - knot.a;
}

} // namespace

Coupling::Coupling(std::vector<CouplingKnot> knots)
    : m_byA(knotsBy(knots, &CouplingKnot::a)), m_byB(knotsBy(std::move(knots), &CouplingKnot::b))
{
}

Duration Coupling::shiftAtA(TraceTime a) const
{
    return shiftBefore(m_byA, a, &CouplingKnot::a);
}

Duration Coupling::shiftAtB(TraceTime b) const
{
    return shiftBefore(m_byB, b, &CouplingKnot::b);
}

Coupling Coupling::swapped() const
{
    std::vector<CouplingKnot> knots;
    for (const CouplingKnot& knot : m_byA)
        knots.push_back({knot.b, knot.a});
    return Coupling(std::move(knots));
}

namespace {

constexpr size_t kMaxCells = 8'000'000;

} // namespace

ProportionalCoupling::ProportionalCoupling(std::vector<CouplingKnot> anchors, Duration shift) : m_shift(shift)
{
    std::ranges::stable_sort(anchors, {}, &CouplingKnot::a);
    for (const CouplingKnot& anchor : anchors)
        if (m_anchors.empty() || (anchor.a > m_anchors.back().a && anchor.b > m_anchors.back().b))
            m_anchors.push_back(anchor);
}

TraceTime ProportionalCoupling::toB(TraceTime a) const
{
    if (m_anchors.empty()) return a + m_shift;
    const auto after = std::ranges::upper_bound(m_anchors, a, {}, &CouplingKnot::a);
    if (after == m_anchors.begin()) return a + (after->b - after->a);
    const CouplingKnot& before = *(after - 1);
    if (after == m_anchors.end()) return a + (before.b - before.a);
    const auto part = __int128((a - before.a).ns) * (after->b - before.b).ns / (after->a - before.a).ns;
    return before.b + Duration{static_cast<int64_t>(part)};
}

// Dynamic programming over two ascending lists, as in sequence alignment (Needleman and Wunsch, 1970) with
// gaps in the longer list only. Cell (j, k) is the smallest sum of distances that pairs the first j elements
// of `shorter` with elements among the first j + k of `longer`, k of which have no partner. The last of these
// either has no partner, as in cell (j, k - 1), or is the partner of element j, as in cell (j - 1, k). k is
// at most the difference of the lengths, so time is O(shorter * (longer - shorter + 1)). Only one row of
// costs is kept, and one bit per cell records the choice for the traceback.
std::vector<std::optional<uint32_t>> pairByPosition(const std::vector<TraceTime>& longer,
                                                    const std::vector<TraceTime>& shorter)
{
    const size_t left = longer.size() - shorter.size(); // number of elements that have no partner
    const size_t width = left + 1;
    if ((shorter.size() + 1) > kMaxCells / width) return {};
    // least[k]: cell (j, k) of the current row.
    std::vector<int64_t> least(width, 0);
    std::vector<bool> isSkip((shorter.size() + 1) * width,
                             false); // whether the best path to a cell leaves out an element
    for (size_t k = 1; k < width; ++k)
        isSkip[k] = true;
    for (size_t j = 1; j <= shorter.size(); ++j) {
        for (size_t k = 0; k < width; ++k) {
            const int64_t gap_ns = std::abs((longer[j - 1 + k] - shorter[j - 1]).ns);
            const int64_t most = std::numeric_limits<int64_t>::max();
            const int64_t paired = least[k] > most - gap_ns ? most : least[k] + gap_ns;
            const bool skips = k > 0 && least[k - 1] < paired;
            isSkip[j * width + k] = skips;
            least[k] = skips ? least[k - 1] : paired;
        }
    }
    std::vector<std::optional<uint32_t>> out(longer.size());
    size_t k = left;
    for (size_t j = shorter.size(); j > 0 || k > 0;) {
        if (k > 0 && (j == 0 || isSkip[j * width + k])) {
            --k;
        } else {
            --j;
            out[j + k] = static_cast<uint32_t>(j);
        }
    }
    return out;
}

} // namespace lockstep
