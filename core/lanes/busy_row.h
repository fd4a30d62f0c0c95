// SPDX-License-Identifier: Apache-2.0
// BusyRow: the busy times of a GPU in one process, with the activity. It is the union of kernels, copies,
// memsets and graphs over all streams, split where the Activity changes. Times are on the report's clock.
// Built by findBusyRows() with the other levels of detail of a report. Immutable.
#pragma once

#include <vector>

#include "core/lanes/activity_buckets.h"
#include "core/lanes/slice_lod.h"
#include "core/trace/row_chunks.h"

namespace lockstep {

class BusyRow {
  public:
    // `tracks` are the tracks with GPU work for this GPU and process. `slices` must come from the same
    // report.
    BusyRow(const Report& report, const SliceLod& slices, ProcessId process, DeviceId device,
            const std::vector<TrackId>& tracks);

    ProcessId process() const { return m_process; }
    DeviceId device() const { return m_device; }
    // Returns the row. Touching or overlapping work with the same activity is one interval, in the category
    // of the activity. If the GPU has a single stream whose work never overlaps, the row is the row of that
    // stream.
    LodRow row(const Report& report, const SliceLod& slices) const;
    const ActivityBuckets& buckets() const { return m_buckets; }
    // Gaps of at most this length are bridged.
    static constexpr Duration kMinIdle{100'000};
    const std::vector<TimeRange>& stretches() const { return m_stretches; }
    size_t residentBytes() const;

  private:
    struct Interval {
        int64_t start;
        int64_t end;
        Activity activity;
    };
    // Sorted by time, disjoint.
    using Intervals = RowChunks<Interval>;

    static void append(Intervals& to, Interval interval, const ColumnPlace& place);
    static Intervals covered(Intervals&& above, const Intervals& below, const ColumnPlace& place);
    void unite(const Report& report, const std::vector<TrackId>& tracks);
    void take(const Intervals& intervals, const ColumnPlace& place);

    ProcessId m_process;
    DeviceId m_device;
    TrackId m_sameAs; // the only track, whose row 0 equals this row
    Column<int64_t> m_start;
    Column<int64_t> m_duration;
    Column<SliceCategory> m_category;
    uint16_t m_mask = 1; // one bit per category that occurs
    RowSums m_sums;
    ActivityBuckets m_buckets;
    std::vector<TimeRange> m_stretches;
};

// Returns one row per (process, GPU) that has work, in the order of the report's tracks.
std::vector<BusyRow> findBusyRows(const Report& report, const SliceLod& slices);

} // namespace lockstep
