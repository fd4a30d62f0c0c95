// SPDX-License-Identifier: Apache-2.0
// BusyRow: when a GPU of one process did any work, and what: the union of its kernels, copies, memsets and
// graphs over all streams, cut where the Activity changes. Made by findBusyRows() with the rest of a report's
// LOD; immutable. Times are on the report's clock.
#pragma once

#include <vector>

#include "core/lanes/activity_buckets.h"
#include "core/lanes/slice_lod.h"
#include "core/trace/row_chunks.h"

namespace lockstep {

class BusyRow {
  public:
    // tracks: those of this GPU and process that hold GPU work. slices: of the same report.
    BusyRow(const Report& report, const SliceLod& slices, ProcessId process, DeviceId device,
            const std::vector<TrackId>& tracks);

    ProcessId process() const { return m_process; }
    DeviceId device() const { return m_device; }
    // Work of one activity that touches or overlaps is one interval, in the category that stands for it.
    // Where the GPU has one stream whose work never overlaps, the row is that stream's own.
    LodRow row(const Report& report, const SliceLod& slices) const;
    const ActivityBuckets& buckets() const { return m_buckets; }
    // When it worked; what is no further apart than kLeastIdle is one stretch.
    static constexpr Duration kLeastIdle{100'000};
    const std::vector<TimeRange>& stretches() const { return m_stretches; }
    size_t residentBytes() const;

  private:
    struct Interval {
        int64_t start;
        int64_t end;
        Activity activity;
    };
    // In time, never overlapping.
    using Intervals = RowChunks<Interval>;

    static void append(Intervals& to, Interval interval, const ColumnPlace& place);
    static Intervals covered(Intervals&& above, const Intervals& below, const ColumnPlace& place);
    void unite(const Report& report, const std::vector<TrackId>& tracks);
    void take(const Intervals& intervals, const ColumnPlace& place);

    ProcessId m_process;
    DeviceId m_device;
    TrackId m_sameAs; // the one track whose row 0 is this row
    Column<int64_t> m_start;
    Column<int64_t> m_duration;
    Column<SliceCategory> m_category;
    uint16_t m_mask = 1; // a bit per category that occurs
    RowSums m_sums;
    ActivityBuckets m_buckets;
    std::vector<TimeRange> m_stretches;
};

// One per (process, GPU) that has work, in the order of the report's tracks.
std::vector<BusyRow> findBusyRows(const Report& report, const SliceLod& slices);

} // namespace lockstep
