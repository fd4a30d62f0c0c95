// SPDX-License-Identifier: Apache-2.0
// LimitMatrix: the tightest known upper bound on the clock offset for every pair of domains, in ns relative
// to the fitted difference. Filled from collectives, then tightened over all pairs by shortest paths.
//
// Idea: the bounds are difference constraints, offset(i) - offset(j) <= limit(i, j). They can be chained, so
// the tightest implied bound is the shortest path from i to j, and a cycle of negative length is a
// contradiction (R. E. Bellman, 1958). Invariant: limit(i, i) is 0, and limits only decrease. Memory: 4 *
// size^2 bytes, twice that while close() runs.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "core/base/progress.h"

namespace lockstep {

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

} // namespace lockstep
