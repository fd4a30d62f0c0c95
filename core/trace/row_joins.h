// SPDX-License-Identifier: Apache-2.0
// Joins rows of a report that belong together: API calls with the GPU work that they launched, flow points
// with each other, and host ranges of collectives with their GPU kernels. Used by ReportFreezer.
#pragma once

#include <compare>
#include <cstdint>
#include <span>

#include "core/trace/link_table.h"
#include "core/trace/report.h"
#include "core/trace/row_chunks.h"
#include "core/trace/slice_batch.h"

namespace lockstep {

// Joins GPU rows with the API calls that launched them, by correlation ID within one process.
struct CorrelatedSlice {
    uint32_t correlation;
    SliceId slice;

    friend auto operator<=>(const CorrelatedSlice&, const CorrelatedSlice&) = default;
};

// Adds a launch link from each cause to each effect with the same correlation ID. `causes` must be sorted.
// `effects` may be in any order, but processing is fastest if they are in the order of their calls. An effect
// is linked with at most 64 causes, because more causes indicate a corrupt file, for which the number of
// links would be enormous. `file` receives links that do not fit in memory; it may be null. Returns the
// number of effects that had more causes.
uint64_t joinLaunches(std::span<const CorrelatedSlice> causes, const RowChunks<CorrelatedSlice>& effects,
                      RowChunks<Link>& links, const std::shared_ptr<SpillFile>& file);

// FlowBinding turns flow points into links between slices, once the slices are sorted and nested. Flows are
// interpreted as in Perfetto: an end or step is an effect of the last start or step of its flow, so one start
// may have many ends. Points that have no slice, or no matching start or end, are counted in the report's
// notes. Used only by ReportFreezer.
class FlowBinding {
  public:
    // The tracks and slices of the report must be in their final order, with depths and parents.
    explicit FlowBinding(Report& report) : m_report(report) {}

    // Binds points; the tracks of the points must be tracks of the report.
    void bind(Column<FlowPoint>& points, RowChunks<Link>& links); // sorts the points

  private:
    // Number of points of one kind, and the timestamp of the first point.
    struct Count {
        uint64_t number = 0;
        int64_t first_ns = 0;

        void add(const FlowPoint& point);
    };
    // The start or step that causes the next points of the same flow.
    struct Cause {
        const FlowPoint* point = nullptr;
        SliceId slice;
        bool hasEffect = true;
    };

    void take(const FlowPoint& point, Cause& cause, RowChunks<Link>& links);
    void finish(Cause& cause);
    SliceId boundSlice(const FlowPoint& point) const;
    SliceId enclosingSlice(TrackId track, int64_t time_ns) const;
    SliceId nextSlice(TrackId track, int64_t time_ns) const;
    void addNotes();

    Report& m_report;
    Count m_unbound;
    Count m_withoutCause;
    Count m_unterminated;
};

// Moves the description of each collective from its host range (an NVTX payload of NCCL) to the GPU kernel
// that the range launched. The slices and links of the report must be complete. A GPU kernel belongs to the
// range in which its thread launched it. The GPU kernels of calls between ncclGroupStart and ncclGroupEnd are
// launched in ncclGroupEnd. If all calls of such a group use one communicator, they become one description
// (amounts add up, differing values are dropped). The description applies to each GPU kernel of the group,
// because the file does not record which GPU kernel serves which call. A send to and a receive from every
// rank of the communicator become an all-to-all; other sends and receives stay point-to-point. The name of
// the GPU kernel provides values that the range lacks. Descriptions without a GPU kernel stay with their
// range. Afterwards report.collectives is sorted and has at most one row per slice.
void joinCollectives(Report& report);

} // namespace lockstep
