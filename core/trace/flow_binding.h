// SPDX-License-Identifier: Apache-2.0
// FlowBinding: from the points of flows to links between slices, once the slices are sorted and nested. Reads
// flows as Perfetto does: an end or step is an effect of the last start or step of its flow, so that one
// start may have many ends; what has no slice, no start or no end is counted in the report's notes. Used by
// ReportFreezer only.
#pragma once

#include "core/trace/report.h"
#include "core/trace/slice_batch.h"

namespace lockstep {

class FlowBinding {
  public:
    // The report's tracks and slices must be in their final order, with depths and parents.
    explicit FlowBinding(Report& report) : m_report(report) {}

    // Tracks of the points are the report's own.
    void bind(Column<FlowPoint>& points, RowChunks<Link>& links); // puts the points into order

  private:
    // How many points of one kind there are, and the stamp of the first.
    struct Count {
        uint64_t number = 0;
        int64_t first_ns = 0;

        void add(const FlowPoint& point);
    };
    // The start or step that the next points of the same flow are effects of.
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
    Count m_causeless;
    Count m_endless;
};

} // namespace lockstep
