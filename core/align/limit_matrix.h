// SPDX-License-Identifier: Apache-2.0
// LimitMatrix: for every pair of domains the tightest known upper limit of how far one clock is ahead of the
// other, in ns against the fitted difference. Filled from collectives, then tightened over all pairs by
// shortest paths.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "core/base/workers.h"

namespace lockstep {

// One collective: by participant (column), the least end and greatest start of a domain, leveled by its
// fitted line.
struct LimitRow {
    std::vector<float> firstEnd;  // +infinity where the domain took no part
    std::vector<float> lastStart; // -infinity
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
    // Upper limit of (clock i ahead) - (clock j ahead).
    float at(size_t i, size_t j) const { return m_limits[i * m_size + j]; }
    void tighten(size_t i, size_t j, float limit)
    {
        float& held = m_limits[i * m_size + j];
        held = limit < held ? limit : held;
    }
    // Every end is after every start: limit(i, j) = least over rows of firstEnd[i] - lastStart[j]. columns[c]
    // is the domain of column c. O(rows * columns^2).
    void tightenBy(std::span<const LimitRow> rows, std::span<const size_t> columns, const Workers& workers);
    // Floyd-Warshall. O(size^3). Returns the least closed walk met: below zero by how much limits contradict
    // each other; the matrix is of use only when that is near zero.
    float close();

  private:
    size_t m_size;
    std::vector<float> m_limits;
};

} // namespace lockstep
