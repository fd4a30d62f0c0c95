// SPDX-License-Identifier: Apache-2.0
#include "core/align/limit_matrix.h"

#include <algorithm>

namespace lockstep {

namespace {

// number of columns that are processed together, because the compiler vectorizes a strip
constexpr size_t kStrip = 8;
constexpr size_t kRowBlock = 16; // rows of the matrix per pass over the collectives

// Computes out[c] = min(out[c], own - other[c]) for whole strips. The two rows must not overlap, so that
// strips can be vectorized.
void takeLeast(float* __restrict out, float own, const float* __restrict other, size_t count)
{
    for (size_t c = 0; c < count; c += kStrip) {
        for (size_t lane = 0; lane < kStrip; ++lane) {
            const float limit = own - other[c + lane];
            out[c + lane] = limit < out[c + lane] ? limit : out[c + lane];
        }
    }
}

} // namespace

void LimitMatrix::tightenBy(std::span<const LimitRow> rows, std::span<const size_t> columns,
                            const Workers& workers)
{
    const size_t padded = (columns.size() + kStrip - 1) / kStrip * kStrip;
    std::vector<float> starts(rows.size() * padded, -kNone);
    for (size_t r = 0; r < rows.size(); ++r) {
        std::ranges::copy(rows[r].lastStart, starts.begin() + static_cast<std::ptrdiff_t>(r * padded));
    }
    workers.run((columns.size() + kRowBlock - 1) / kRowBlock, [&](size_t block, size_t) {
        const size_t begin = block * kRowBlock;
        const size_t end = std::min(columns.size(), begin + kRowBlock);
        std::vector<float> least((end - begin) * padded, kNone);
        for (size_t r = 0; r < rows.size(); ++r) {
            for (size_t i = begin; i < end; ++i) {
                if (rows[r].firstEnd[i] == kNone) continue;
                takeLeast(&least[(i - begin) * padded], rows[r].firstEnd[i], &starts[r * padded], padded);
            }
        }
        for (size_t i = begin; i < end; ++i) {
            for (size_t j = 0; j < columns.size(); ++j) {
                if (i != j) tighten(columns[i], columns[j], least[(i - begin) * padded + j]);
            }
        }
    });
}

float LimitMatrix::close()
{
    const size_t padded = (m_size + kStrip - 1) / kStrip * kStrip;
    std::vector<float> wide(m_size * padded, kNone);
    for (size_t i = 0; i < m_size; ++i)
        std::copy_n(&m_limits[i * m_size], m_size, &wide[i * padded]);
    std::vector<float> via(padded);
    float leastWalk = 0;
    for (size_t k = 0; k < m_size; ++k) {
        for (size_t j = 0; j < padded; ++j)
            via[j] = -wide[k * padded + j];
        for (size_t i = 0; i < m_size; ++i) {
            const float toVia = wide[i * padded + k];
            if (toVia == kNone) continue;
            takeLeast(&wide[i * padded], toVia, via.data(), padded);
            // A negative cycle would be applied repeatedly and decrease without bound.
            float& own = wide[i * padded + i];
            leastWalk = std::min(leastWalk, own);
            own = 0;
        }
    }
    for (size_t i = 0; i < m_size; ++i)
        std::copy_n(&wide[i * padded], m_size, &m_limits[i * m_size]);
    return leastWalk;
}

} // namespace lockstep
