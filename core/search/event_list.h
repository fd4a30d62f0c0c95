// SPDX-License-Identifier: Apache-2.0
// EventList: the slices in a scope as sorted rows, for the Events panel and search results. Sorted by time,
// it stores a few numbers per track; in any other order, it stores 8 bytes per row, up to a maximum number of
// rows. Longer lists remain sorted by time, see isTooLong(). Computed off the UI thread. Immutable. Thread:
// any.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/search/event_hits.h"

namespace lockstep {

// EventRuns: the slices in many tracks (or the ones that match a query) in order of aligned start, without
// storing a list. Row k is found by counting, for each track, the slices that start before a given time. Ties
// are ordered by report, track and slice. Takes 56 bytes per track and keeps its reports alive. Immutable.
// Thread: any.
class EventRuns {
  public:
    // range: aligned; includes slices that overlap it and instants in it. hits: restricts the rows to these,
    // in the same reports; nullptr means all slices. The scene must be drawable. O(tracks log slices).
    EventRuns(ScenePtr scene, std::optional<TimeRange> range, std::shared_ptr<const EventHits> hits);

    uint64_t size() const { return m_size; }
    // Returns rows [first, first + out.size()), which must exist. O(tracks * log slices + rows * log tracks).
    void read(uint64_t first, std::span<SliceRef> out) const;
    // Returns the number of rows before a slice, which need not be a row itself. O(tracks * log slices).
    uint64_t rowsBefore(SliceRef slice) const;
    bool has(SliceRef slice) const;
    // Compares by aligned start, then by report, track and slice.
    bool isBefore(SliceRef a, SliceRef b) const;
    TraceTime alignedStart(SliceRef slice) const;
    // Returns the sum of the unclipped durations of all rows. Returns nullopt if canceled. O(rows), on all
    // workers.
    std::optional<int64_t> sumOfDurations_ns(const Progress& progress) const;
    const ScenePtr& scene() const { return m_scene; }

  private:
    // Consecutive slices on one track whose aligned starts are ascending. A run is the whole track unless the
    // clock was stepped.
    struct Run {
        ReportKey report;
        uint32_t order = 0; // index of its track among all tracks
        size_t first = 0, end = 0;
        const Report* of = nullptr;
        const ClockMap* map = nullptr;
        const HitBits* bits = nullptr; // nullptr: all slices
        uint64_t countOf(size_t from, size_t to) const
        {
            return bits == nullptr ? to - from : bits->before(to) - bits->before(from);
        }
        int64_t alignedAt(size_t row) const
        {
            return map->alignedFromTrace(TraceTime{of->slices.start_ns[row]}).ns;
        }
        // Returns the first position in [from, to) that starts at or after t.
        size_t firstAt(int64_t t, size_t from, size_t to) const;
    };
    struct Cut; // total number of rows before a time, over all runs

    void addTrack(ReportKey key, TrackId track, std::optional<TimeRange> range);
    void addReaching(ReportKey key, TrackId track, TimeRange range);
    Cut cutAt(uint64_t row) const;
    void merge(Cut cut, std::span<SliceRef> out) const;
    uint32_t orderOf(SliceRef slice) const;

    ScenePtr m_scene;
    std::shared_ptr<const EventHits> m_hits;
    std::optional<TimeRange> m_range;
    std::vector<Run> m_runs;          // sorted by track order; the runs of one track by time
    ByReport<uint32_t> m_firstOrder;  // order of the first track in each report
    std::vector<SliceRef> m_reaching; // slices that start before the range; these come first
    uint64_t m_size = 0;
};

enum class EventOrder : uint8_t { time, duration, name, rank, lane };

struct EventListOptions {
    std::optional<TimeRange> range;        // on the aligned axis; nullopt: all times
    std::shared_ptr<const EventHits> hits; // only these hits; nullptr: all slices
    EventOrder order = EventOrder::time;   // ties: the earlier slice comes first, in either direction
    bool isDescending = false;
    uint64_t mostSorted = 10'000'000; // maximum number of rows stored in an order other than by time
};

class EventList {
  public:
    // The only possible error is `canceled`. Costs O(tracks log slices) if sorted by time, and O(rows) for
    // the sum of durations. Any other order costs O(rows log rows).
    static Result<std::shared_ptr<const EventList>> make(ScenePtr scene, const EventListOptions& options,
                                                         const Progress& progress);

    uint64_t size() const { return m_runs.size(); }
    // Returns rows [first, first + out.size()), which must exist. If sorted by time: O(tracks log slices +
    // rows log tracks).
    void read(uint64_t first, std::span<SliceRef> out) const;
    SliceRef at(uint64_t row) const;
    // Returns the row of the slice, or nullopt if it is not in the list. Costs O(tracks log slices) if sorted
    // by time, otherwise O(log rows).
    std::optional<uint64_t> rowOf(SliceRef slice) const;
    // For lists sorted by time: returns the first row that starts at or after the slice, or size().
    uint64_t rowFrom(SliceRef slice) const { return m_runs.rowsBefore(slice); }

    EventOrder order() const { return m_order; }
    bool isDescending() const { return m_isDescending; }
    // True if the requested order was not applied because of the row limit.
    bool isTooLong() const { return m_isTooLong; }
    Duration sumOfDurations() const { return {m_sum_ns}; }
    const ScenePtr& scene() const { return m_runs.scene(); }

  private:
    EventList(EventRuns runs, const EventListOptions& options)
        : m_runs(std::move(runs)), m_order(options.order), m_isDescending(options.isDescending)
    {
    }
    Status sort(const Progress& progress);
    bool isBefore(SliceRef a, SliceRef b) const;

    EventRuns m_runs;
    EventOrder m_order;
    bool m_isDescending;
    bool m_isTooLong = false;
    int64_t m_sum_ns = 0;
    std::vector<SliceRef> m_rows; // sorted rows; empty if sorted by time
};

// Number of hits on a rank.
struct RankHits {
    std::optional<int> rank;
    uint64_t count = 0;
};
// Returns the ranks with hits, in ascending order; slices without a rank come last. O(tracks).
std::vector<RankHits> hitsByRank(const Scene& scene, const EventHits& hits);

} // namespace lockstep
