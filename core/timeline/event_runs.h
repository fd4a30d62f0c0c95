// SPDX-License-Identifier: Apache-2.0
// EventRuns: the slices of many tracks in the order of their aligned starts, or those of them that a query
// finds, without a list of them: row k is found by asking every track how many of its slices start before a
// moment. Of equal starts the order is that of reports, tracks and slices. Immutable, any thread; it keeps
// the reports that it is of. 56 bytes a track.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/timeline/event_hits.h"

namespace lockstep {

class EventRuns {
  public:
    // range: aligned; slices that overlap it, and instants in it. hits: only these, of the same reports;
    // nullptr: all. The scene is one to be drawn. O(tracks log slices).
    EventRuns(ScenePtr scene, std::optional<TimeRange> range, std::shared_ptr<const EventHits> hits);

    uint64_t size() const { return m_size; }
    // Rows [first, first + out.size()), which must be there. O(tracks * log slices + rows * log tracks).
    void read(uint64_t first, std::span<SliceRef> out) const;
    // How many rows come before the slice, which may be none of them. O(tracks * log slices).
    uint64_t rowsBefore(SliceRef slice) const;
    bool has(SliceRef slice) const;
    // By aligned start, then report, track, slice.
    bool isBefore(SliceRef a, SliceRef b) const;
    TraceTime alignedStart(SliceRef slice) const;
    // Durations of all rows, each as long as it is. O(rows), on all workers; nothing where it was stopped.
    std::optional<int64_t> sumOfDurations_ns(const Progress& progress) const;
    const ScenePtr& scene() const { return m_scene; }

  private:
    // Slices of one track whose aligned starts ascend: all of it, but where its clock was stepped.
    struct Run {
        ReportKey report;
        uint32_t order = 0; // of its track among all
        size_t first = 0, end = 0;
        const Report* of = nullptr;
        const ClockMap* map = nullptr;
        const HitBits* bits = nullptr; // nullptr: all
        uint64_t countOf(size_t from, size_t to) const
        {
            return bits == nullptr ? to - from : bits->before(to) - bits->before(from);
        }
        int64_t alignedAt(size_t row) const
        {
            return map->alignedFromTrace(TraceTime{of->slices.start_ns[row]}).ns;
        }
        // The first of [from, to) that starts at or after t.
        size_t firstAt(int64_t t, size_t from, size_t to) const;
    };
    struct Cut; // rows of every run before a moment

    void addTrack(ReportKey key, TrackId track, std::optional<TimeRange> range);
    void addReaching(ReportKey key, TrackId track, TimeRange range);
    Cut cutAt(uint64_t row) const;
    void merge(Cut cut, std::span<SliceRef> out) const;
    uint32_t orderOf(SliceRef slice) const;

    ScenePtr m_scene;
    std::shared_ptr<const EventHits> m_hits;
    std::optional<TimeRange> m_range;
    std::vector<Run> m_runs;          // by order, of one track by time
    ByReport<uint32_t> m_firstOrder;  // of each report's first track
    std::vector<SliceRef> m_reaching; // started before the range: they come first
    uint64_t m_size = 0;
};

} // namespace lockstep
