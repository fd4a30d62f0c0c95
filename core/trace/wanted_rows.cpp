// SPDX-License-Identifier: Apache-2.0
#include "core/trace/wanted_rows.h"

#include <algorithm>
#include <atomic>
#include <bit>

namespace lockstep {

namespace {

uint64_t hashOf(SourceRow source)
{
    const uint64_t hash = source.packed * 0x9E3779B97F4A7C15ull;
    return hash ^ (hash >> 32);
}

} // namespace

WantedRows::WantedRows(Column<SourceRow> sources, const ColumnPlace& place)
{
    if (sources.empty()) return;
    m_met = place.temporaryColumn<SliceId>(sources.size());
    if (m_met.size() != sources.size()) return;
    m_sources = std::move(sources);
    std::ranges::sort(m_sources);
    std::ranges::fill(m_met, SliceId());
    m_bits.resize(std::bit_ceil(m_sources.size() / 4 + 1));
    for (const SourceRow source : m_sources) {
        const uint64_t hash = hashOf(source);
        m_bits[(hash >> 6) & (m_bits.size() - 1)] |= uint64_t(1) << (hash & 63);
    }
}

void WantedRows::meet(SourceRow source, SliceId slice)
{
    if (m_sources.empty()) return;
    const uint64_t hash = hashOf(source);
    if ((m_bits[(hash >> 6) & (m_bits.size() - 1)] >> (hash & 63) & 1) == 0) return;
    const auto found = std::ranges::lower_bound(m_sources, source);
    if (found == m_sources.end() || *found != source) return;
    std::atomic_ref<uint32_t> met(m_met[static_cast<size_t>(found - m_sources.begin())].value);
    uint32_t held = met.load(std::memory_order_relaxed);
    while (slice.value < held && !met.compare_exchange_weak(held, slice.value, std::memory_order_relaxed)) {
    }
}

SliceId WantedRows::sliceOf(SourceRow source) const
{
    const auto found = std::ranges::lower_bound(m_sources, source);
    if (found == m_sources.end() || *found != source) return {};
    return m_met[static_cast<size_t>(found - m_sources.begin())];
}

} // namespace lockstep
