// SPDX-License-Identifier: Apache-2.0
#include "core/lanes/phase_timeline.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace lockstep {

namespace {

struct PhaseEdge {
    TraceTime at;
    bool isBegin; // at equal times, ends come first
    uint32_t range;

    friend auto operator<=>(const PhaseEdge&, const PhaseEdge&) = default;
};

std::vector<PhaseEdge> edgesOf(std::span<const PhaseRange> ranges)
{
    std::vector<PhaseEdge> edges;
    edges.reserve(2 * ranges.size());
    for (uint32_t i = 0; i < ranges.size(); ++i) {
        edges.push_back({ranges[i].range.begin, true, i});
        edges.push_back({ranges[i].range.end, false, i});
    }
    std::ranges::sort(edges);
    return edges;
}

} // namespace

PhaseTimeline::PhaseTimeline(std::vector<PhaseRange> ranges)
{
    std::erase_if(ranges, [](const PhaseRange& range) { return range.range.isEmpty(); });
    std::ranges::sort(ranges, [](const PhaseRange& a, const PhaseRange& b) {
        return std::tuple(a.range.begin, b.range.end, a.phase) <
               std::tuple(b.range.begin, a.range.end, b.phase);
    });
    std::set<uint32_t> open; // the range that began last determines the phase
    std::array<uint32_t, kRlPhases> openOf{};
    std::vector<TimeRange> overlaps;
    std::array<std::vector<TimeRange>, kRlPhases> ofPhases;
    for (const PhaseRange& range : ranges)
        ofPhases[static_cast<size_t>(range.phase)].push_back(range.range);
    for (size_t i = 0; i < kRlPhases; ++i)
        m_open[i] = IntervalSet::unionOf(std::move(ofPhases[i]));
    TraceTime last;
    for (const PhaseEdge& edge : edgesOf(ranges)) {
        if (!open.empty() && last < edge.at) {
            const TimeRange range{last, edge.at};
            const PhaseRange& owner = ranges[*open.rbegin()];
            const bool continues = !m_segments.empty() && m_segments.back().phase == owner.phase &&
                                   m_segments.back().slice == owner.slice &&
                                   m_segments.back().range.end == last;
            if (continues) {
                m_segments.back().range.end = edge.at;
            } else {
                m_segments.push_back({range, owner.phase, owner.slice});
            }
            if (std::ranges::count_if(openOf, [](uint32_t count) { return count > 0; }) > 1)
                overlaps.push_back(range);
        }
        last = edge.at;
        uint32_t& count = openOf[static_cast<size_t>(ranges[edge.range].phase)];
        if (edge.isBegin) {
            open.insert(edge.range);
            ++count;
        } else {
            open.erase(edge.range);
            --count;
        }
    }
    m_overlap = IntervalSet::unionOf(std::move(overlaps));
}

std::array<std::optional<int64_t>, kRlPhases> PhaseTimeline::within(TimeRange range) const
{
    std::array<std::optional<int64_t>, kRlPhases> times;
    for (size_t i = 0; i < kRlPhases; ++i) {
        if (m_open[i].lengthWithin(range).ns > 0) times[i] = 0;
    }
    const auto endOf = [](const PhaseSegment& segment) { return segment.range.end; };
    auto at = std::ranges::upper_bound(m_segments, range.begin, {}, endOf);
    for (; at != m_segments.end() && at->range.begin < range.end; ++at)
        *times[static_cast<size_t>(at->phase)] += at->range.clippedTo(range).length().ns;
    return times;
}

std::optional<RlPhase> PhaseTimeline::at(TraceTime time) const
{
    const auto endOf = [](const PhaseSegment& segment) { return segment.range.end; };
    const auto found = std::ranges::upper_bound(m_segments, time, {}, endOf);
    if (found == m_segments.end() || !found->range.contains(time)) return std::nullopt;
    return found->phase;
}

void closeOpenRanges(std::vector<PhaseRange>& ranges, std::span<const TimeRange> steps, TraceTime last)
{
    std::vector<TraceTime> begins;
    for (const PhaseRange& range : ranges)
        begins.push_back(range.range.begin);
    std::ranges::sort(begins);
    for (PhaseRange& range : ranges) {
        if (!range.isOpen) continue;
        // If records were lost, a capture clips ranges at the beginning of the loss, which is before `last`.
        range.range.end = std::min(range.range.end, std::max(range.range.begin, last));
        const auto next = std::ranges::upper_bound(begins, range.range.begin);
        if (next != begins.end()) range.range.end = std::min(range.range.end, *next);
        for (const TimeRange& step : steps) {
            if (step.begin > range.range.begin) break;
            if (step.contains(range.range.begin)) range.range.end = std::min(range.range.end, step.end);
        }
    }
}

} // namespace lockstep
