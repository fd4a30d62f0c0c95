// SPDX-License-Identifier: Apache-2.0
#include "core/compare/coupling.h"

#include <algorithm>

namespace lockstep {

namespace {

// Sorts by the times in one pane; if several knots have the same time, only the last is kept.
std::vector<CouplingKnot> knotsBy(std::vector<CouplingKnot> knots, TraceTime CouplingKnot::*half)
{
    std::ranges::stable_sort(knots, {}, half);
    std::vector<CouplingKnot> out;
    for (const CouplingKnot& knot : knots) {
        if (!out.empty() && out.back().*half == knot.*half) out.pop_back();
        out.push_back(knot);
    }
    return out;
}

Duration shiftBefore(const std::vector<CouplingKnot>& knots, TraceTime t, TraceTime CouplingKnot::*half)
{
    if (knots.empty()) return {};
    const auto behind = std::ranges::upper_bound(knots, t, {}, half);
    const CouplingKnot& knot = behind == knots.begin() ? *behind : *(behind - 1);
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

} // namespace lockstep
