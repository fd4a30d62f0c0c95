// SPDX-License-Identifier: Apache-2.0
#include "core/lanes/covered_time.h"

#include <algorithm>

#include "core/align/step_markers.h"

namespace lockstep {

namespace {

// Collects stretches from rows that are sorted by start.
class Stretches {
  public:
    void add(int64_t begin, int64_t end)
    {
        end = std::max(end, begin + 1);
        if (m_isOpen && begin - m_end <= CoveredTime::kJoin.ns) {
            m_end = std::max(m_end, end);
            return;
        }
        close();
        m_begin = begin;
        m_end = end;
        m_isOpen = true;
    }
    void close()
    {
        if (m_isOpen) m_all.push_back({{m_begin}, {m_end}});
        m_isOpen = false;
    }
    std::vector<TimeRange> take() { return std::move(m_all); }

  private:
    std::vector<TimeRange> m_all;
    int64_t m_begin = 0, m_end = 0;
    bool m_isOpen = false;
};

} // namespace

size_t CoveredTime::residentBytes() const
{
    return stretches.capacity() * sizeof(TimeRange) + steps.capacity() * sizeof(Duration);
}

std::vector<TimeRange> joined(std::vector<TimeRange> ranges, Duration maxGap)
{
    std::erase_if(ranges, [](const TimeRange& range) { return range.isEmpty(); });
    std::ranges::sort(ranges, {}, &TimeRange::begin);
    std::vector<TimeRange> out;
    for (const TimeRange& range : ranges) {
        if (!out.empty() && range.begin - out.back().end <= maxGap) {
            out.back().end = std::max(out.back().end, range.end);
        } else {
            out.push_back(range);
        }
    }
    return out;
}

CoveredTime findCoveredTime(const Report& report)
{
    Stretches stretches;
    for (const Track& track : report.tracks) {
        const int64_t* const start = report.slices.start_ns.data() + track.firstSlice.value;
        const int64_t* const duration = report.slices.duration_ns.data() + track.firstSlice.value;
        for (uint32_t i = 0; i < track.sliceCount; ++i)
            stretches.add(start[i], start[i] + duration[i]);
        stretches.close();
    }
    for (const CounterTrack& counter : report.counterTracks) {
        const int64_t* const time = report.counters.time_ns.data() + counter.firstSample;
        for (uint32_t i = 0; i < counter.sampleCount; ++i)
            stretches.add(time[i], time[i]);
        stretches.close();
    }
    CoveredTime out;
    out.stretches = stretches.take();
    out.stretches.insert(out.stretches.end(), report.gaps.begin(), report.gaps.end());
    if (report.memory != nullptr) out.stretches.push_back(report.extent);
    out.stretches = joined(std::move(out.stretches), CoveredTime::kJoin);
    out.stretches.shrink_to_fit();
    for (const StepMark& step : findSteps(report))
        out.steps.push_back(step.range.length());
    return out;
}

} // namespace lockstep
