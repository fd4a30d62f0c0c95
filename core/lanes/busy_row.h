// BusyRow: when a GPU of one process did any work, as the union of its kernels, copies, memsets and graphs
// over all streams. Made by findBusyRows() with the rest of a report's LOD; immutable. Times are on the
// report's clock.
#pragma once

#include <vector>

#include "core/lanes/slice_lod.h"

namespace lockstep {

class BusyRow {
  public:
    // tracks: those of this GPU and process that hold GPU work.
    BusyRow(const Report& report, ProcessId process, DeviceId device, std::vector<TrackId> tracks);

    ProcessId process() const { return m_process; }
    DeviceId device() const { return m_device; }
    // Work that touches or overlaps is one interval. Where the GPU has one stream whose work never overlaps,
    // the row is that stream's own, and nothing is stored here.
    LodRow row(const Report& report, const SliceLod& slices) const;
    size_t residentBytes() const;

  private:
    void unite(const Report& report, const std::vector<TrackId>& tracks);
    void append(int64_t start, int64_t end);

    ProcessId m_process;
    DeviceId m_device;
    TrackId m_sameAs; // the one track whose row 0 is this row
    std::vector<int64_t> m_start;
    std::vector<int64_t> m_duration;
    RowSums m_sums;
};

// One per (process, GPU) that has work, in the order of the report's tracks.
std::vector<BusyRow> findBusyRows(const Report& report);

} // namespace lockstep
