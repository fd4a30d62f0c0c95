// SPDX-License-Identifier: Apache-2.0
// EventList: the slices in a scope as sorted rows, for the Events panel and search results. Sorted by time,
// it stores a few numbers per track; in any other order, it stores 8 bytes per row, up to a maximum number of
// rows. Longer lists remain sorted by time, see isTooLong(). Computed off the UI thread. Immutable. Thread:
// any.
#pragma once

#include "core/search/event_runs.h"

namespace lockstep {

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
