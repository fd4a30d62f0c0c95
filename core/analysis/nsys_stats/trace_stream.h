// SPDX-License-Identifier: Apache-2.0
// TraceStream: the part common to tables that list individual rows: the sorted rows, their details (loaded
// page by page), and the columns that identify rows. Each table derives from TraceStream and adds its own
// cells. Created by an analysis. Thread: one at a time.
#pragma once

#include "core/analysis/fact_pages.h"
#include "core/analysis/rows_by_start.h"

namespace lockstep {

// A row in a trace: a slice, and the related slice that is listed in the same row.
struct TraceRow {
    SliceRef row;
    SliceId with; // the call that launched the kernel; invalid for other rows
    const GroupKey* group = nullptr;
};

class TraceStream : public RowStream {
  public:
    // The request's scene and scope must outlive the stream. order: the kinds of the rows that are visited in
    // order of start. expand() converts each visited row to lines, which are rows of the kinds `listed`.
    TraceStream(const AnalysisRequest& request, std::string_view title, const Scope& order, RowKinds kinds,
                RowKinds listed, RowFactSet facts);

    const Table& head() const override { return m_page; }
    Result<const Table*> next(const Progress& progress) override;
    void restart() override { m_rows.restart(); }

  protected:
    // Adds the lines for a row: none, the row itself, or several.
    virtual void expand(const PlacedRow& row, std::vector<TraceRow>& lines) const = 0;
    // Returns whether a line is listed; called after the line's details are loaded. i: index of the line in
    // facts().
    virtual bool isListed(const TraceRow& line, size_t i) = 0;
    // Adds the cells of a line to the last row of the page, starting at column `first`; called right after
    // isListed().
    virtual void fill(Table& page, size_t first, const TraceRow& line, size_t i) = 0;

    // For constructors: add the columns in order, then call finishColumns().
    void addTime(const char* name, const char* doc);
    void addCount(const char* name, const char* doc);
    void addText(const char* name, const char* doc);
    void addAmount(const char* name, const char* unit, const char* doc);
    void finishColumns(std::string rows, std::vector<std::string> rules);
    // Call after finishColumns(); see TableSource.
    void setWhenEmpty(std::string sentence) { m_page.source.whenEmpty = std::move(sentence); }

    const Report& report(ReportKey key) const { return m_scene.shown.report(key); }
    const Track& trackOf(SliceRef row) const;
    bool isNamed(std::string_view name) const { return !m_scope.name || m_scope.name->matches(name); }
    const FactPages& facts() const { return m_facts; }
    void setFact(Table& page, size_t column, size_t i, RowFact fact) const;
    // Sets a cell to a byte count in millions (MB), with three decimals.
    void setMillions(Table& page, size_t column, std::optional<int64_t> bytes) const;

    const Scene& m_scene;
    const Scope& m_scope;

  private:
    Status gather(const Progress& progress);
    void setPlace(const TraceRow& line);

    Table m_page;
    size_t m_first = 0; // first column after the group column
    std::optional<size_t> m_axis, m_report;
    RowsByStart m_rows;
    FactPages m_facts;
    std::vector<TraceRow> m_lines;
    std::vector<SliceRef> m_refs;
};

} // namespace lockstep
