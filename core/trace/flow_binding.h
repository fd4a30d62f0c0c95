// SPDX-License-Identifier: Apache-2.0
// FlowBinding turns flow points into links between slices, once the slices are sorted and nested. Flows are
// interpreted as in Perfetto: an end or step is an effect of the last start or step of its flow, so one start
// may have many ends. Points that have no slice, or no matching start or end, are counted in the report's
// notes. Used only by ReportFreezer.
#pragma once

#include "core/trace/report.h"
#include "core/trace/slice_batch.h"

namespace lockstep {

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
    void leave(Cause& cause);
    SliceId boundSlice(const FlowPoint& point) const;
    SliceId enclosingSlice(TrackId track, int64_t time_ns) const;
    SliceId nextSlice(TrackId track, int64_t time_ns) const;
    void addNotes();

    Report& m_report;
    Count m_unbound;
    Count m_withoutCause;
    Count m_unterminated;
};

} // namespace lockstep
