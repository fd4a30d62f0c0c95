// SPDX-License-Identifier: Apache-2.0
// HitBits: some of many rows, a bit each, with counts, so that "how many before this row" is one step
// whatever the number of rows. Set by whoever looks through a table, several threads at once in chunks of
// kChunk rows; immutable once it is finished. 1.1 bits a row.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lockstep {

class HitBits {
  public:
    // Threads that set rows share no chunk.
    static constexpr size_t kChunk = 512;

    HitBits() = default;
    explicit HitBits(size_t rows) : m_rows(rows), m_words((rows + 63) / 64, 0) {}

    void set(size_t row) { m_words[row / 64] |= uint64_t(1) << (row % 64); }
    void clear(size_t row) { m_words[row / 64] &= ~(uint64_t(1) << (row % 64)); }
    // Counts; after the last change. O(rows / 64).
    void finish();

    size_t rows() const { return m_rows; }
    bool has(size_t row) const { return (m_words[row / 64] >> (row % 64) & 1) != 0; }
    uint32_t count() const { return m_before.empty() ? 0 : m_before.back(); }
    // Of the rows before this one, which may be rows().
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
    // The first at or behind `row` and before `end`; `end` where none is.
    size_t firstFrom(size_t row, size_t end) const;

  private:
    size_t m_rows = 0;
    std::vector<uint64_t> m_words;
    std::vector<uint32_t> m_before; // each chunk; one more than chunks
};

} // namespace lockstep
