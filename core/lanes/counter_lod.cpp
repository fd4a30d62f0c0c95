// SPDX-License-Identifier: Apache-2.0
#include "core/lanes/counter_lod.h"

#include <algorithm>
#include <limits>

namespace lockstep {

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

// Returns the first sample at or after t. Searches forward from `from`.
uint32_t firstAt(const int64_t* times, uint32_t count, int64_t t, uint32_t from)
{
    uint32_t low = from, high = from;
    for (uint32_t step = 1; high < count && times[high] < t; step *= 2) {
        low = high + 1;
        high += step;
    }
    return static_cast<uint32_t>(std::lower_bound(times + low, times + std::min(high, count), t) - times);
}

} // namespace

CounterLod::CounterLod(const Report& report)
{
    for (const CounterTrack& track : report.counterTracks) {
        TrackBlocks blocks{m_blocks.size(), kInfinite, -kInfinite};
        const double* const values = report.counters.value.data() + track.firstSample;
        for (uint32_t i = 0; i < track.sampleCount; ++i) {
            if (i % kBlock == 0) m_blocks.push_back({kInfinite, -kInfinite});
            m_blocks.back() = {std::min(m_blocks.back().min, values[i]),
                               std::max(m_blocks.back().max, values[i])};
        }
        size_t below = blocks.first;
        while (m_blocks.size() - below > 1) {
            const size_t end = m_blocks.size();
            for (size_t i = below; i < end; ++i) {
                if ((i - below) % kBlock == 0) m_blocks.push_back({kInfinite, -kInfinite});
                m_blocks.back() = {std::min(m_blocks.back().min, m_blocks[i].min),
                                   std::max(m_blocks.back().max, m_blocks[i].max)};
            }
            below = end;
        }
        if (m_blocks.size() > blocks.first) {
            blocks.smallest = m_blocks.back().min;
            blocks.largest = m_blocks.back().max;
        } else {
            blocks.smallest = blocks.largest = 0;
        }
        m_tracks.push_back(blocks);
    }
    m_blocks.shrink_to_fit();
}

void CounterLod::widen(const double* values, TrackBlocks blocks, uint32_t count, uint32_t from, uint32_t to,
                       CounterSummary& out) const
{
    while (from < to) {
        if (from % kBlock != 0 || to - from < kBlock) {
            out.min = std::min(out.min, values[from]);
            out.max = std::max(out.max, values[from]);
            ++from;
            continue;
        }
        const Extent* level = m_blocks.data() + blocks.first;
        uint32_t span = kBlock, block = from / kBlock, children = (count + kBlock - 1) / kBlock;
        while (block % kBlock == 0 && to - from >= uint64_t(span) * kBlock) {
            level += children;
            children = (children + kBlock - 1) / kBlock;
            block /= kBlock;
            span *= kBlock;
        }
        out.min = std::min(out.min, level[block].min);
        out.max = std::max(out.max, level[block].max);
        from += span;
    }
}

std::optional<CounterSummary> CounterLod::summarize(const Report& report, CounterTrackId id, TimeRange range,
                                                    uint32_t* hint) const
{
    const CounterTrack& track = report.counterTracks[id.value];
    const int64_t* const times = report.counters.time_ns.data() + track.firstSample;
    const double* const values = report.counters.value.data() + track.firstSample;
    const uint32_t from = firstAt(times, track.sampleCount, range.begin.ns, hint != nullptr ? *hint : 0);
    const uint32_t to = firstAt(times, track.sampleCount, range.end.ns, from);
    if (hint != nullptr) *hint = from;
    CounterSummary out{kInfinite, -kInfinite, 0, to - from};
    const bool holds = track.shape == CounterShape::steps && from > 0;
    if (from == to && !holds) return std::nullopt;
    const bool startsInside = from < to && times[from] == range.begin.ns;
    if (holds && !startsInside) out.min = out.max = values[from - 1];
    widen(values, m_tracks[id.value], track.sampleCount, from, to, out);
    out.last = to > from ? values[to - 1] : values[from - 1];
    return out;
}

size_t CounterLod::residentBytes() const
{
    return m_tracks.capacity() * sizeof(TrackBlocks) + m_blocks.capacity() * sizeof(Extent);
}

} // namespace lockstep
