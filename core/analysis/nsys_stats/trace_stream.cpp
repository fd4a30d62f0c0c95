// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/nsys_stats/trace_stream.h"

#include "core/analysis/duration_statistics.h"
#include "core/analysis/summary.h"

namespace lockstep {

TraceStream::TraceStream(const AnalysisRequest& request, std::string_view title, const Scope& order,
                         RowKinds kinds, RowKinds listed, RowFactSet facts)
    : m_scene(request.scene), m_scope(request.scope), m_page(std::string(request.what), std::string(title)),
      m_rows(request.scene, order, kinds), m_facts(request.scene.shown, facts)
{
    addGroupColumn(m_page, m_scope.by);
    m_first = m_page.columnCount();
    m_facts.open(kinds == listed ? m_rows.reports() : RowsByStart(m_scene, order, listed).reports());
}

void TraceStream::addTime(const char* name, const char* doc)
{
    m_page.addColumn({name, "ns", ColumnType::time, 0, doc});
}

void TraceStream::addCount(const char* name, const char* doc)
{
    m_page.addColumn({name, "", ColumnType::integer, 0, doc});
}

void TraceStream::addText(const char* name, const char* doc)
{
    m_page.addColumn({name, "", ColumnType::text, 0, doc});
}

void TraceStream::addAmount(const char* name, const char* unit, const char* doc)
{
    m_page.addColumn({name, unit, ColumnType::bytes, 3, doc});
}

void TraceStream::finishColumns(std::string rows, std::vector<std::string> rules)
{
    m_page.source = {std::move(rows), std::move(rules), m_scope.description()};
    if (const std::string missing = m_facts.missing(); !missing.empty())
        m_page.source.rules.push_back(missing);
    if (m_scope.time) m_page.source.rules.push_back("rows that overlap the time range are listed, in full");
    if (m_scene.shown.size() < 2) return;
    m_axis = m_page.columnCount();
    addTime("Aligned Start", "start of the row, on the aligned axis shared by all reports; rows are in "
                             "this order");
    m_report = m_page.columnCount();
    addText("Report", "path of the report");
}

// Collects the next lines and their details. Collects nothing after the last line.
Status TraceStream::gather(const Progress& progress)
{
    m_lines.clear();
    m_refs.clear();
    PlacedRow row;
    uint32_t looked = 0;
    while (m_lines.size() < FactPages::kPage_rows && m_rows.next(row)) {
        if (++looked % kRowsBetweenChecks == 0) LOCKSTEP_TRY(progress.check());
        expand(row, m_lines);
    }
    for (const TraceRow& line : m_lines)
        m_refs.push_back(line.row);
    return m_facts.load(m_refs, progress);
}

// Sets the report and the aligned start of a line if there are several reports.
void TraceStream::setPlace(const TraceRow& line)
{
    if (!m_report) return;
    const Report& of = report(line.row.report);
    const SliceId placed = line.with.isValid() ? line.with : line.row.slice;
    const ClockMap& map = m_scene.alignment.map(line.row.report);
    m_page.setNumber(*m_axis, map.alignedFromTrace(of.slices.start(placed)).ns);
    m_page.setText(*m_report, of.provenance.path.string());
}

Result<const Table*> TraceStream::next(const Progress& progress)
{
    m_page.clearRows();
    while (m_page.rowCount() == 0) {
        LOCKSTEP_TRY(gather(progress));
        if (m_lines.empty()) return nullptr;
        for (size_t i = 0; i < m_lines.size(); ++i) {
            if (i % kRowsBetweenChecks == 0) LOCKSTEP_TRY(progress.check());
            if (!isListed(m_lines[i], i)) continue;
            m_page.addRow(m_lines[i].row);
            setGroup(m_page, m_scope.by, *m_lines[i].group);
            fill(m_page, m_first, m_lines[i], i);
            setPlace(m_lines[i]);
        }
    }
    return &m_page;
}

const Track& TraceStream::trackOf(SliceRef row) const
{
    const Report& of = report(row.report);
    return of.track(of.trackOf(row.slice));
}

void TraceStream::setFact(Table& page, size_t column, size_t i, RowFact fact) const
{
    if (const auto number = m_facts.number(i, fact)) page.setNumber(column, *number);
}

void TraceStream::setMillions(Table& page, size_t column, std::optional<int64_t> bytes) const
{
    if (bytes) page.setNumber(column, roundedQuotient(*bytes, 1000));
}

} // namespace lockstep
