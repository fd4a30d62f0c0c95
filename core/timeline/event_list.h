// SPDX-License-Identifier: Apache-2.0
// EventList: the slices of a scope as rows in an order: what the Events panel and the results of a search
// show. By time nothing is held but a few numbers a track; by anything else 8 bytes a row, up to a limit,
// beyond which the list stays by time and says so. Made off the UI thread, immutable, any thread.
#pragma once

#include "core/timeline/event_runs.h"

namespace lockstep {

enum class EventOrder : uint8_t { time, duration, name, rank, lane };

struct EventListOptions {
    std::optional<TimeRange> range;        // aligned; absent: everything
    std::shared_ptr<const EventHits> hits; // only these; null: all slices
    EventOrder order = EventOrder::time;   // of equals the earlier comes first, whichever the direction
    bool isDescending = false;
    uint64_t mostSorted = 10'000'000; // rows that are held in another order than time's
};

class EventList {
  public:
    // canceled. O(tracks log slices), and for the sum O(rows); by another order O(rows log rows).
    static Result<std::shared_ptr<const EventList>> make(ScenePtr scene, const EventListOptions& options,
                                                         const Progress& progress);

    uint64_t size() const { return m_runs.size(); }
    // Rows [first, first + out.size()), which must be there. By time O(tracks log slices + rows log tracks).
    void read(uint64_t first, std::span<SliceRef> out) const;
    SliceRef at(uint64_t row) const;
    // Where the slice is; absent where it is none of them. O(tracks log slices), else O(log rows).
    std::optional<uint64_t> rowOf(SliceRef slice) const;
    // By time: the first row that starts at or after the slice, size() where none does.
    uint64_t rowFrom(SliceRef slice) const { return m_runs.rowsBefore(slice); }

    EventOrder order() const { return m_order; }
    bool isDescending() const { return m_isDescending; }
    // The order that was asked for was refused: more rows than may be held.
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
    std::vector<SliceRef> m_rows; // in order; empty by time
};

// How many hits a rank has.
struct RankHits {
    std::optional<int> rank;
    uint64_t count = 0;
};
// Of those that have any, ascending; what has no rank comes last. O(tracks).
std::vector<RankHits> hitsByRank(const Scene& scene, const EventHits& hits);

} // namespace lockstep
