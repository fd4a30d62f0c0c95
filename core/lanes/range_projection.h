// SPDX-License-Identifier: Apache-2.0
// RangeProjection: the NVTX ranges of one thread, projected onto one GPU. A projection extends from the start
// of the first to the end of the last GPU operation that was launched by a call inside the range; a range
// without such an operation on the GPU has no projection. This is the rule of nsys's nvtx_gpu_proj_trace,
// applied per GPU and to whole CUDA graphs as well: a call belongs to a range on its thread that contains it
// from start to end, and a range that was never closed ends with the last closed range of the report.
//
// Projections are drawing data. They are not slices: no table, sum, search or export sees them, so that GPU
// work is never counted twice. Each refers to the slice of its range. Times are on the report's clock.
// Built by findRangeProjections() with the other levels of detail of a report. Immutable. Thread: any.
#pragma once

#include <optional>
#include <vector>

#include "core/base/progress.h"
#include "core/lanes/lod_row.h"
#include "core/trace/report.h"

namespace lockstep {

struct ProjectedSpan {
    TimeRange range;
    uint32_t launches = 0; // calls in the range that launched work on this GPU; NumGPUOps in nsys
    uint16_t depth = 0;
};

class RangeProjection {
  public:
    // A range with work on the GPU.
    struct Projected {
        int64_t start_ns = 0;
        int64_t end_ns = 0;
        SliceId slice; // the range on the CPU
        uint32_t launches = 0;
    };

    // process: the process of the GPU's tracks. `ranges` is not empty and in any order. O(n log n).
    RangeProjection(const Report& report, ProcessId process, DeviceId device, ThreadId thread,
                    std::vector<Projected> ranges);

    ProcessId process() const { return m_process; }
    DeviceId device() const { return m_device; }
    ThreadId thread() const { return m_thread; }
    // Returns the number of rows. Nested projections have increasing depths; projections that cross are on
    // different rows. nestSlices() defines the rows.
    uint16_t depthCount() const { return static_cast<uint16_t>(m_rows.size()); }
    // Returns a row; its slices are the ranges on the CPU, and its times are those of the projections. Valid
    // as long as this object. If the number of rows is at its limit, the last row omits projections that
    // overlap an earlier one in that row.
    LodRow row(uint16_t depth) const;
    // Returns whether the row contains projections that are not nested in others.
    bool isOutermost(uint16_t depth) const { return m_rows[depth].isOutermost; }
    // Returns the projection of a range, or nullopt if it has none here. O(ranges).
    std::optional<ProjectedSpan> of(SliceId range) const;
    TimeRange extent() const { return m_extent; }
    size_t residentBytes() const;

  private:
    struct Row {
        uint32_t first = 0; // index in the columns
        uint32_t count = 0;
        uint16_t mask = 0; // one bit per category that occurs
        bool isOutermost = false;
        RowSumsAt at;
    };

    void placeRows(const ColumnPlace& place);

    ProcessId m_process;
    DeviceId m_device;
    ThreadId m_thread;
    TimeRange m_extent;
    std::vector<Row> m_rows; // by depth
    // sorted by depth, then start; 25 bytes per projection, and 3 to 4 in m_sums
    Column<int64_t> m_start;
    Column<int64_t> m_duration;
    Column<SliceId> m_slice;
    Column<uint32_t> m_launches;
    Column<SliceCategory> m_category;
    RowSums m_sums;
};

// Projects NVTX ranges, and annotations of the program on the CPU. Sorted by process and GPU, then thread.
// Empty if the report itself contains annotations on the GPU, as PyTorch's reports do. O(n log n) for n
// ranges and launches, regardless of how ranges nest, cross or remain open; O(n) if they nest. With 2 million
// ranges and 4 million launches among 10 million slices: 0.9 s on one core and 53 MB. Temporary memory: a bit
// per slice and, for one thread at a time, up to 50 bytes per launch and 75 per range. If the job is
// canceled, the result is incomplete.
std::vector<RangeProjection> findRangeProjections(const Report& report, const Progress& progress);

} // namespace lockstep
