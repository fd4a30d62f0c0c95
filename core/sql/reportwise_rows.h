// SPDX-License-Identifier: Apache-2.0
// ReportwiseRows: a pass that reads a table directly from the columns of the visible reports, one report
// after the other. Each table restricts the rows within a report. Thread: one per pass.
#pragma once

#include <algorithm>
#include <memory>
#include <span>

#include "core/sql/sql_scene.h"

namespace lockstep {

class ReportwiseRows : public SqlRows {
  public:
    ReportwiseRows(const SqlScene& scene, std::span<const SqlCondition> conditions, const Progress& progress)
        : m_scene(scene), m_progress(progress), m_reports(sqlBoundsOf(conditions, SqlKey::report))
    {
    }

    bool next() final
    {
        for (;;) {
            if (++m_at < m_end) return (m_at & 0xFFFF) != 0 || !m_progress.isCanceled();
            if (m_hasReport && moreRows()) {
                --m_at;
                continue;
            }
            if (m_nextReport >= m_scene.shown().keys().size() || m_progress.isCanceled()) return false;
            m_key = m_scene.shown().keys()[m_nextReport++];
            m_report = &m_scene.shown().report(m_key);
            m_map = &m_scene.scene().alignment.map(m_key);
            m_hasReport = m_reports.holds(m_key.value);
            m_at = m_end = 0;
            if (m_hasReport) beginReport();
            --m_at;
        }
    }
    int64_t rowId() const override { return sqlId(m_key, static_cast<uint32_t>(m_at)); }

  protected:
    // Sets the row range for a report: [m_at, m_end).
    virtual void beginReport() = 0;
    // Sets the next row range in the report; returns false if there is none.
    virtual bool moreRows() { return false; }
    void setRows(uint64_t first, uint64_t last)
    {
        m_at = first;
        m_end = std::max(first, last);
    }

    const SqlScene& m_scene;
    const Progress& m_progress;
    SqlBounds m_reports;
    ReportKey m_key;
    const Report* m_report = nullptr;
    const ClockMap* m_map = nullptr;
    uint64_t m_at = ~uint64_t(0), m_end = 0; // ++ wraps it to 0; there is no row before the first report

  private:
    size_t m_nextReport = 0;
    bool m_hasReport = false;
};

template<class Rows>
std::unique_ptr<SqlRows> openReportwise(const SqlTable&, const SqlScene& scene,
                                        std::span<const SqlCondition> conditions, bool,
                                        const Progress& progress)
{
    return std::make_unique<Rows>(scene, conditions, progress);
}

} // namespace lockstep
