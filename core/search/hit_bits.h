// SPDX-License-Identifier: Apache-2.0
// HitBits: a subset of many rows, as one bit per row plus counts, so that counting the hits before a row
// takes constant time. Takes 1.1 bits per row. Filled by a scan over a table, by several threads at once in
// chunks of kChunk rows; immutable once finished.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lockstep {

class HitBits {
  public:
    // Threads that set rows must not share a chunk.
    static constexpr size_t kChunk = 512;

    HitBits() = default;
    explicit HitBits(size_t rows) : m_rows(rows), m_words((rows + 63) / 64, 0) {}

    void set(size_t row) { m_words[row / 64] |= uint64_t(1) << (row % 64); }
    void clear(size_t row) { m_words[row / 64] &= ~(uint64_t(1) << (row % 64)); }
    // Returns the number of hits before this row. The row may be rows().
    void finish();

    size_t rows() const { return m_rows; }
    bool has(size_t row) const { return (m_words[row / 64] >> (row % 64) & 1) != 0; }
    uint32_t count() const { return m_before.empty() ? 0 : m_before.back(); }
    // Returns the number of hits before this row, which may be rows().
    uint32_t before(size_t row) const
    {
        const size_t word = row / 64;
        uint32_t out = m_before[row / kChunk];
        for (size_t i = row / kChunk * (kChunk / 64); i < word; ++i)
            out += static_cast<uint32_t>(std::popcount(m_words[i]));
        const uint64_t below = (uint64_t(1) << (row % 64)) - 1;
        return row % 64 == 0 ? out : out + static_cast<uint32_t>(std::popcount(m_words[word] & below));
    }
    bool hasAny(size_t first, size_t end) const { return end > first && before(end) > before(first); }
    // Returns the first hit at or after `row` and before `end`, or `end`.
    size_t firstFrom(size_t row, size_t end) const;

  private:
    size_t m_rows = 0;
    std::vector<uint64_t> m_words;
    std::vector<uint32_t> m_before; // number of hits before each chunk; has one more entry than there are
                                    // chunks
};

} // namespace lockstep
