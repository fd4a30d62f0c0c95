// SPDX-License-Identifier: Apache-2.0
// CounterLod: provides the minimum and maximum of any part of a counter track in O(log n), and the value at a
// given time. Takes at least half a byte per sample. Built once per report after loading. Immutable.
#pragma once

#include <optional>
#include <vector>

#include "core/trace/report.h"

namespace lockstep {

// Summary of a counter in a time range: the samples in the range and, for step counters, the value at the
// start of the range.
struct CounterSummary {
    double min = 0;
    double max = 0;
    double last = 0;
    uint32_t samples = 0; // number of samples inside the range

    friend bool operator==(const CounterSummary&, const CounterSummary&) = default;
};

class CounterLod {
  public:
    CounterLod() = default;
    explicit CounterLod(const Report& report);

    // Returns nullopt if no value is known, i.e. before the first sample, and for point counters in a range
    // without samples. `hint` is a sample index, relative to the track, at or before the first sample in the
    // range. The function sets it to the index of that first sample, so a left-to-right scan costs O(1) per
    // step.
    std::optional<CounterSummary> summarize(const Report& report, CounterTrackId track, TimeRange range,
                                            uint32_t* hint = nullptr) const;
    // Return the extremes over the whole track.
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
        // index in m_blocks; the levels follow each other: extents of 32 samples each, then of 32 blocks
        // each, ...
        size_t first = 0;
        double smallest = 0;
        double largest = 0;
    };

    void widen(const double* values, TrackBlocks blocks, uint32_t count, uint32_t from, uint32_t to,
               CounterSummary& out) const;

    std::vector<TrackBlocks> m_tracks;
    std::vector<Extent> m_blocks;
};

} // namespace lockstep
