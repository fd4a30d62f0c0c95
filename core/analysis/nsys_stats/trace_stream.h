// SPDX-License-Identifier: Apache-2.0
// TraceStream: what the tables share that list rows one by one: rows in order, their facts page by page, the
// columns that say whose a row is. Each table is a TraceStream that adds its own cells. Made by an analysis;
// one thread at a time.
#pragma once

#include "core/analysis/fact_pages.h"
#include "core/analysis/rows_by_start.h"

namespace lockstep {

// A row of a trace: a slice, and what it is listed with.
struct TraceRow {
    SliceRef row;
    SliceId with; // the call that launched a kernel; else invalid
    const GroupKey* group = nullptr;
};

class TraceStream : public RowStream {
  public:
    // Scene and scope of the request must outlive it. order: of rows of these kinds, which expand() turns
    // into lines of rows of kinds `listed`.
    TraceStream(const AnalysisRequest& request, std::string_view title, const Scope& order, RowKinds kinds,
                RowKinds listed, RowFactSet facts);

    const Table& head() const override { return m_page; }
    Result<const Table*> next(const Progress& progress) override;
    void restart() override { m_rows.restart(); }

  protected:
    // The lines that a row becomes: none, itself, or several.
    virtual void expand(const PlacedRow& row, std::vector<TraceRow>& lines) const = 0;
    // Whether a line is listed, now that its facts are there. i: its place in facts().
    virtual bool isListed(const TraceRow& line, size_t i) = 0;
    // Adds the cells of a line to the page's last row, from column `first` on; right after isListed().
    virtual void fill(Table& page, size_t first, const TraceRow& line, size_t i) = 0;

    // For constructors: columns in order, then finishColumns().
    void addTime(const char* name, const char* doc);
    void addCount(const char* name, const char* doc);
    void addText(const char* name, const char* doc);
    void addAmount(const char* name, const char* unit, const char* doc);
    void finishColumns(std::string rows, std::vector<std::string> rules);
    // After finishColumns(); see TableSource.
    void setWhenEmpty(std::string sentence) { m_page.source.whenEmpty = std::move(sentence); }

    const Report& report(ReportKey key) const { return m_scene.shown.report(key); }
    const Track& trackOf(SliceRef row) const;
    bool isNamed(std::string_view name) const { return !m_scope.name || m_scope.name->matches(name); }
    const FactPages& facts() const { return m_facts; }
    void setFact(Table& page, size_t column, size_t i, RowFact fact) const;
    // Bytes as millions with three decimals.
    void setMillions(Table& page, size_t column, std::optional<int64_t> bytes) const;

    const Scene& m_scene;
    const Scope& m_scope;

  private:
    Status gather(const Progress& progress);
    void setPlace(const TraceRow& line);

    Table m_page;
    size_t m_first = 0; // column behind the group's
    std::optional<size_t> m_axis, m_report;
    RowsByStart m_rows;
    FactPages m_facts;
    std::vector<TraceRow> m_lines;
    std::vector<SliceRef> m_refs;
};

} // namespace lockstep
