// SPDX-License-Identifier: Apache-2.0
// ClockBounds: guaranteed bounds of each clock, regardless of how much the ends of collectives scatter. The
// bounds follow from the rule that every end is after every start. Created by boundClocks() from anchors and
// a fit; the fit only keeps the numbers small and decides which bounds to drop if bounds contradict each
// other. Intervals are the domain's offset against its reference, in ns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/align/clock_fit.h"
#include "core/base/progress.h"

namespace lockstep {

// LimitMatrix: the tightest known upper bound on the clock offset for every pair of domains, in ns relative
// to the fitted difference. Filled from collectives, then tightened over all pairs by shortest paths.
//
// Idea: the bounds are difference constraints, offset(i) - offset(j) <= limit(i, j). They can be chained, so
// the tightest implied bound is the shortest path from i to j, and a cycle of negative length is a
// contradiction (R. E. Bellman, 1958). Invariant: limit(i, i) is 0, and limits only decrease. Memory: 4 *
// size^2 bytes, twice that while close() runs.

// One collective: the smallest end and the largest start of each participating domain (column), relative to
// the domain's fitted line.
struct LimitRow {
    std::vector<float> firstEnd;  // +infinity if the domain did not take part
    std::vector<float> lastStart; // -infinity if the domain did not take part
};

class LimitMatrix {
  public:
    static constexpr float kNone = std::numeric_limits<float>::infinity();

    explicit LimitMatrix(size_t size) : m_size(size), m_limits(size * size, kNone)
    {
        for (size_t i = 0; i < size; ++i)
            m_limits[i * size + i] = 0;
    }

    size_t size() const { return m_size; }
    // Returns the upper bound on (offset of clock i) - (offset of clock j).
    float at(size_t i, size_t j) const { return m_limits[i * m_size + j]; }
    void tighten(size_t i, size_t j, float limit)
    {
        float& entry = m_limits[i * m_size + j];
        entry = limit < entry ? limit : entry;
    }
    // Tightens the bounds by the rule that every end is after every start: limit(i, j) = minimum over rows of
    // firstEnd[i] - lastStart[j]. columns[c] is the domain of column c. O(rows * columns^2).
    void tightenBy(std::span<const LimitRow> rows, std::span<const size_t> columns, const Workers& workers);
    // Tightens all pairs by shortest paths (Floyd-Warshall). O(size^3). Returns the length of the shortest
    // closed walk, or `canceled`. If the length is negative, it is the amount by which bounds contradict each
    // other; the matrix is usable only if that amount is near zero.
    Result<float> close(const Progress& progress);

  private:
    size_t m_size;
    std::vector<float> m_limits;
};

struct DomainBound {
    // reference domain; for unfitted domains, the reference of the largest component
    uint32_t reference = 0;
    std::optional<double> least_ns; // offset at the table's origin; absent if unbounded on this side
    std::optional<double> greatest_ns;
    std::optional<double> worst_ns; // largest error of the fitted line over the whole window
    // bound on |true - fitted drift| that follows from hard bounds; at most 100 ppm
    double driftBound = 0;
    // collectives in which the domain ends before another domain starts, or starts after another ends, by
    // more than 1 us
    uint32_t violationsBefore = 0;
    uint32_t violationsAfter = 0; // same count under the fitted line

    bool isTwoSided() const { return least_ns && greatest_ns; }
    double halfWidth_ns() const { return (*greatest_ns - *least_ns) / 2; }
};

struct ClockBounds {
    std::vector<DomainBound> domains;
    uint64_t momentCount = 0;
    // Moments dropped because no clock offsets could satisfy both them and the others.
    uint64_t contradictions = 0;
    // more than 1% of the moments would have to be dropped, so nothing is certain
    bool isContradictory = false;
    uint64_t violationsBefore = 0; // collectives with any violation
    uint64_t violationsAfter = 0;
    // Upper bounds between all pairs at the origin relative to the fitted difference, after closure; null for
    // more than 2048 domains.
    std::shared_ptr<const LimitMatrix> pairs;
};

inline constexpr double kViolation_ns = 1'000;

// Computes the bounds. O(moments * domains^2) in vector operations for groups that span all domains, plus
// O(domains^3). Drift that the bounds do not exclude widens them in proportion to the distance from the
// origin. Returns the bounds or `canceled`.
Result<ClockBounds> boundClocks(const AnchorTable& table, const ClockFit& fit, const Progress& progress);

} // namespace lockstep
