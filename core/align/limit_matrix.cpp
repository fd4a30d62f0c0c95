// SPDX-License-Identifier: Apache-2.0
#include "core/align/limit_matrix.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

namespace lockstep {

namespace {

constexpr size_t kRowBlock = 16; // rows of the matrix per pass over the collectives

// Computes out[c] = min(out[c], length + other[c]). The two rows must not overlap, so that the loop can be
// vectorized.
void takeLeastSum(float* __restrict out, float length, const float* __restrict other, size_t count)
{
    for (size_t c = 0; c < count; ++c) {
        const float limit = length + other[c];
        out[c] = limit < out[c] ? limit : out[c];
    }
}

} // namespace

void LimitMatrix::tightenBy(std::span<const LimitRow> rows, std::span<const size_t> columns,
                            const Workers& workers)
{
    const size_t width = columns.size();
    std::vector<float> negativeStarts;
    for (const LimitRow& row : rows)
        std::ranges::transform(row.lastStart, std::back_inserter(negativeStarts), std::negate());
    workers.run((width + kRowBlock - 1) / kRowBlock, [&](size_t block, size_t) {
        const size_t begin = block * kRowBlock;
        const size_t end = std::min(width, begin + kRowBlock);
        std::vector<float> least((end - begin) * width, kNone);
        for (size_t r = 0; r < rows.size(); ++r) {
            for (size_t i = begin; i < end; ++i) {
                if (rows[r].firstEnd[i] == kNone) continue;
                takeLeastSum(&least[(i - begin) * width], rows[r].firstEnd[i], &negativeStarts[r * width],
                             width);
            }
        }
        for (size_t i = begin; i < end; ++i) {
            for (size_t j = 0; j < width; ++j) {
                if (i != j) tighten(columns[i], columns[j], least[(i - begin) * width + j]);
            }
        }
    });
}

namespace {

constexpr size_t kPivots = 32; // clocks per step of close()
constexpr size_t kSpan = 32;   // columns of a row that fit into the vector registers
constexpr size_t kRowsPerTask = 64;

// Closer closes a matrix in steps of kPivots clocks, the pivots, as blocked versions of Floyd-Warshall do
// (G. Venkataraman, S. Sahni and S. Mukhopadhyaya, 2003). A step first closes the rows of its pivots over
// each other. They then contain the shortest paths whose inner clocks are pivots of this step or of earlier
// ones. A path from another clock i through these pivots reaches one of them first, say k. Its length is
// limit(i, k) plus that of a path in the row of k, so one pass over the pivots completes the row of i.
//
// Invariant: after a step, each entry is the shortest path whose inner clocks were pivots. Cost: size^3
// additions; a pass reads its pivots from the L1 cache, and rows are independent of each other.
class Closer {
  public:
    Closer(std::span<const float> limits, size_t size)
        : m_size(size), m_padded((size + kSpan - 1) / kSpan * kSpan),
          m_wide(size * m_padded, LimitMatrix::kNone), m_packed(kPivots * m_padded)
    {
        for (size_t i = 0; i < size; ++i)
            std::copy_n(&limits[i * size], size, row(i));
    }

    Result<float> run(const Progress& progress);
    void copyTo(std::span<float> limits) const
    {
        for (size_t i = 0; i < m_size; ++i)
            std::copy_n(&m_wide[i * m_padded], m_size, &limits[i * m_size]);
    }

  private:
    float* row(size_t i) { return &m_wide[i * m_padded]; }
    float closePivots(size_t first, size_t count);
    void packPivots(size_t first, size_t count);
    float closeRows(size_t begin, size_t end, size_t first, size_t count);
    float takeOwn(size_t i);

    const size_t m_size, m_padded;
    std::vector<float> m_wide;   // rows padded to whole spans
    std::vector<float> m_packed; // for each span: its columns in the rows of all pivots
};

// Returns the limit of a clock against itself and replaces it by 0. A negative cycle would otherwise be
// applied repeatedly and decrease without bound.
float Closer::takeOwn(size_t i)
{
    return std::exchange(row(i)[i], 0.0f);
}

// Returns the smallest own limit.
float Closer::closePivots(size_t first, size_t count)
{
    float least = 0;
    for (size_t k = first; k < first + count; ++k) {
        for (size_t i = first; i < first + count; ++i) {
            if (i == k || row(i)[k] == LimitMatrix::kNone) continue;
            takeLeastSum(row(i), row(i)[k], row(k), m_padded);
            least = std::min(least, takeOwn(i));
        }
    }
    return least;
}

void Closer::packPivots(size_t first, size_t count)
{
    for (size_t span = 0; span < m_padded; span += kSpan) {
        for (size_t k = 0; k < count; ++k)
            std::copy_n(row(first + k) + span, kSpan, &m_packed[span * kPivots + k * kSpan]);
    }
}

// Four vectors hold a span, so that it stays in registers while all pivots are added.
using Vector [[gnu::vector_size(32), gnu::aligned(4), gnu::may_alias]] = float;
constexpr size_t kVectors = kSpan * sizeof(float) / sizeof(Vector);

// Computes out[c] = min(out[c], lengths[k] + pivots[k][c]) over all pivots k, for one span.
void takeLeastOf(float* out, const float* lengths, const float* pivots, size_t count)
{
    auto* const spanOut = reinterpret_cast<Vector*>(out);
    Vector least[kVectors];
    for (size_t v = 0; v < kVectors; ++v)
        least[v] = spanOut[v];
    for (size_t k = 0; k < count; ++k) {
        const auto* const pivot = reinterpret_cast<const Vector*>(pivots + k * kSpan);
        for (size_t v = 0; v < kVectors; ++v) {
            const Vector limit = pivot[v] + lengths[k];
            least[v] = limit < least[v] ? limit : least[v];
        }
    }
    for (size_t v = 0; v < kVectors; ++v)
        spanOut[v] = least[v];
}

// Completes the rows [begin, end), except those of the pivots. Returns the smallest own limit.
float Closer::closeRows(size_t begin, size_t end, size_t first, size_t count)
{
    std::vector<float> lengths; // of each row to each pivot
    std::vector<size_t> rows;
    for (size_t i = begin; i < end; ++i) {
        const float* const toPivots = row(i) + first;
        const bool isPivot = i >= first && i < first + count;
        if (isPivot || std::ranges::all_of(toPivots, toPivots + count,
                                           [](float length) { return length == LimitMatrix::kNone; }))
            continue;
        rows.push_back(i);
        lengths.insert(lengths.end(), toPivots, toPivots + count);
    }
    for (size_t span = 0; span < m_padded; span += kSpan) {
        for (size_t r = 0; r < rows.size(); ++r)
            takeLeastOf(row(rows[r]) + span, &lengths[r * count], &m_packed[span * kPivots], count);
    }
    float least = 0;
    for (const size_t i : rows)
        least = std::min(least, takeOwn(i));
    return least;
}

Result<float> Closer::run(const Progress& progress)
{
    const size_t tasks = (m_size + kRowsPerTask - 1) / kRowsPerTask;
    std::vector<float> leastOf(tasks, 0);
    for (size_t first = 0; first < m_size; first += kPivots) {
        LOCKSTEP_TRY(progress.check());
        const size_t count = std::min(kPivots, m_size - first);
        leastOf[0] = std::min(leastOf[0], closePivots(first, count));
        packPivots(first, count);
        progress.workers().run(tasks, [&](size_t task, size_t) {
            const size_t begin = task * kRowsPerTask, end = std::min(m_size, begin + kRowsPerTask);
            leastOf[task] = std::min(leastOf[task], closeRows(begin, end, first, count));
        });
    }
    return m_size == 0 ? 0 : std::ranges::min(leastOf);
}

} // namespace

Result<float> LimitMatrix::close(const Progress& progress)
{
    Closer closer(m_limits, m_size);
    const float shortestWalk = LOCKSTEP_TRY(closer.run(progress));
    closer.copyTo(m_limits);
    return shortestWalk;
}

} // namespace lockstep
