// SPDX-License-Identifier: Apache-2.0
// ReportFreezer: the one pass that packs a ReportBuilder's rows into a Report's tables. Used by ReportBuilder
// only.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "core/trace/report_builder.h"
#include "core/trace/row_joins.h"
#include "core/trace/row_order.h"

namespace lockstep {

class ReportFreezer {
  public:
    ReportFreezer(ReportBuilder& builder, const Progress& progress);
    Result<std::unique_ptr<Report>> run();

  private:
    // Data of one track in addition to its columns.
    struct Packed {
        RowChunks<CorrelatedSlice> causes;
        RowChunks<CorrelatedSlice> effects;
        RowChunks<FactRow> facts; // firstValue is SliceRow::factSet() until packFacts()
        TimeRange extent;
    };

    void separateStrays();
    TrackId strayTrack(TrackId of);
    bool isDiagnostic(SliceId slice) const
    {
        return m_report.slices.kind[slice.value] == RowKind::diagnostic;
    }
    void dropImpossiblePercentages();
    void orderTracks();
    void collectReferenced();
    void resizeColumns(size_t rows);
    Status packTracks();
    void packTrack(size_t track);
    Column<OrderedRow> takeRows(size_t track);
    void cutDurations(uint32_t first, size_t count, TimeRange& extent);
    void writeColumns(const Column<OrderedRow>& rows, SliceId first);
    void releaseRows(size_t track);
    void packFacts();
    void packSideTables();
    void packSamples();
    void packCounters();
    Status linkSlices();
    Status joinCorrelations(RowChunks<Link>& links);
    void bindFlows(RowChunks<Link>& links);
    void bindNamedLinks(RowChunks<Link>& links);
    void findExtent();
    void finishColumns();

    ReportBuilder& m_builder;
    const Progress& m_progress;
    Report& m_report;
    const ColumnPlace& m_place;
    std::vector<uint32_t> m_newTrack; // position of the track in the builder -> position after ordering
    std::vector<uint32_t> m_oldTrack; // position after ordering -> position of the track in the builder
    std::vector<Packed> m_packed;     // by ordered track
    ReferencedRows m_referenced;      // rows that side tables and links refer to
    std::atomic<uint64_t> m_overflowed = 0;
    std::mutex m_notesMutex;
};

} // namespace lockstep
