// ReportFreezer: the one pass that packs a ReportBuilder's rows into a Report's tables. Used by ReportBuilder only.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "core/trace/report_builder.h"

namespace lockstep {

class ReportFreezer {
  public:
    ReportFreezer(ReportBuilder& builder, const Progress& progress);
    Result<std::shared_ptr<const Report>> run();

  private:
    // A correlation id met on a track's row: what the launch join works on.
    struct Correlated {
        uint32_t process;
        uint32_t correlation;
        SliceId slice;
        bool isCause;
    };

    void orderTracks();
    void packTracks();
    void packTrack(size_t track, std::vector<Correlated>& correlated);
    std::vector<SliceRow> takeRows(size_t track);
    void writeColumns(const std::vector<SliceRow>& rows, SliceId first);
    void packSides();
    void packCounters();
    void joinCorrelations(std::vector<Link>& links);
    void bindFlows(std::vector<Link>& links);
    void bindNamedLinks(std::vector<Link>& links);
    SliceId enclosingSlice(TrackId track, int64_t time_ns) const;
    void findExtent();

    ReportBuilder& m_builder;
    const Progress& m_progress;
    Report& m_report;
    std::vector<uint32_t> m_newTrack;  // builder's track -> position after ordering
    std::vector<uint32_t> m_oldTrack;  // position after ordering -> builder's track
    std::vector<std::vector<Correlated>> m_correlated; // by ordered track
    std::vector<std::pair<SourceRow, SliceId>> m_named; // slices that sides and links refer to, sorted by source
    std::vector<SourceRow> m_wanted;                    // sources to put into m_named, sorted
    std::vector<std::vector<std::pair<SourceRow, SliceId>>> m_namedByTrack;
    std::atomic<uint64_t> m_overfull = 0;
};

} // namespace lockstep
