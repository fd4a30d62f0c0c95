// SPDX-License-Identifier: Apache-2.0
// CounterLod: smallest and largest value of any part of a counter track in O(log n), and the value that holds
// at a time. Built once per report after load, immutable. Half a byte a sample and up.
#pragma once

#include <optional>
#include <vector>

#include "core/trace/report.h"

namespace lockstep {

// What a counter shows in a time range: the samples in it and, for steps, the value that holds at its begin.
struct CounterSummary {
    double min = 0;
    double max = 0;
    double last = 0;
    uint32_t samples = 0; // in the range itself

    friend bool operator==(const CounterSummary&, const CounterSummary&) = default;
};

class CounterLod {
  public:
    CounterLod() = default;
    explicit CounterLod(const Report& report);

    // Empty where nothing is known: before the first sample, and for points a range without samples.
    // hint: a sample number at or before the range's first, relative to the track; set to that first one, so
    // that a walk from left to right costs O(1) a step.
    std::optional<CounterSummary> summarize(const Report& report, CounterTrackId track, TimeRange range,
                                            uint32_t* hint = nullptr) const;
    // Over the whole track.
    double smallest(CounterTrackId track) const { return m_tracks[track.value].smallest; }
    double largest(CounterTrackId track) const { return m_tracks[track.value].largest; }
    size_t residentBytes() const;

  private:
    static constexpr uint32_t kBlock = 32;
    struct Extent {
        double min;
        double max;
    };
    struct TrackBlocks {
        size_t first = 0; // into m_blocks: extents of 32 samples, then of 32 blocks, ...
        double smallest = 0;
        double largest = 0;
    };

    void widen(const double* values, TrackBlocks blocks, uint32_t count, uint32_t from, uint32_t to,
               CounterSummary& out) const;

    std::vector<TrackBlocks> m_tracks;
    std::vector<Extent> m_blocks;
};

} // namespace lockstep
