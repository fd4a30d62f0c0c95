// SPDX-License-Identifier: Apache-2.0
// ReportFreezer: the one pass that packs a ReportBuilder's rows into a Report's tables. Used by ReportBuilder
// only.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "core/trace/launch_join.h"
#include "core/trace/report_builder.h"
#include "core/trace/row_order.h"

namespace lockstep {

class ReportFreezer {
  public:
    ReportFreezer(ReportBuilder& builder, const Progress& progress);
    Result<std::unique_ptr<Report>> run();

  private:
    // What one track contributes beyond its columns.
    struct Packed {
        std::vector<CorrelatedSlice> causes;
        std::vector<CorrelatedSlice> effects;
        std::vector<std::pair<SourceRow, SliceId>> named;
        TimeRange extent;
    };

    void orderTracks();
    void collectWanted();
    void resizeColumns(size_t rows);
    void packTracks();
    void packTrack(size_t track);
    std::vector<OrderedRow> takeRows(size_t track);
    void writeColumns(const std::vector<OrderedRow>& rows, SliceId first);
    void releaseRows(size_t track);
    bool isWanted(SourceRow source) const;
    void packSides();
    void packCounters();
    void joinCorrelations(std::vector<Link>& links);
    void bindFlows(std::vector<Link>& links);
    void bindNamedLinks(std::vector<Link>& links);
    void findExtent();

    ReportBuilder& m_builder;
    const Progress& m_progress;
    Report& m_report;
    std::vector<uint32_t> m_newTrack; // builder's track -> position after ordering
    std::vector<uint32_t> m_oldTrack; // position after ordering -> builder's track
    std::vector<Packed> m_packed;     // by ordered track
    std::vector<std::pair<SourceRow, SliceId>>
        m_named;                        // slices that sides and links refer to, sorted by source
    std::vector<SourceRow> m_wanted;    // sources to put into m_named, sorted
    std::vector<uint64_t> m_wantedBits; // a bit for each hash of m_wanted: says no to most rows at once
    std::atomic<uint64_t> m_overfull = 0;
};

} // namespace lockstep
