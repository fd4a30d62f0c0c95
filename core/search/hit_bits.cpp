// SPDX-License-Identifier: Apache-2.0
#include "core/search/hit_bits.h"

#include <algorithm>

namespace lockstep {

void HitBits::finish()
{
    constexpr size_t kWords = kChunk / 64;
    m_before.assign((m_rows + kChunk - 1) / kChunk + 1, 0);
    for (size_t chunk = 0; chunk + 1 < m_before.size(); ++chunk) {
        uint32_t bits = 0;
        const size_t end = std::min(m_words.size(), (chunk + 1) * kWords);
        for (size_t i = chunk * kWords; i < end; ++i)
            bits += static_cast<uint32_t>(std::popcount(m_words[i]));
        m_before[chunk + 1] = m_before[chunk] + bits;
    }
}

size_t HitBits::firstFrom(size_t row, size_t end) const
{
    end = std::min(end, m_rows);
    while (row < end) {
        const uint64_t rest = m_words[row / 64] >> (row % 64);
        if (rest != 0) return std::min(end, row + static_cast<size_t>(std::countr_zero(rest)));
        row = (row / 64 + 1) * 64;
        if (row % kChunk != 0) continue;
        // Chunks without hits are skipped by their counts.
        const auto from =
            m_before.begin() + static_cast<ptrdiff_t>(std::min(row / kChunk, m_before.size() - 1));
        const auto behind = std::upper_bound(from, m_before.end(), *from);
        if (behind == m_before.end()) return end;
        row = std::max(row, static_cast<size_t>(behind - m_before.begin() - 1) * kChunk);
    }
    return end;
}

} // namespace lockstep
