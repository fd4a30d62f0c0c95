// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/recipes/device_columns.h"

#include "core/analysis/summary.h"

namespace lockstep {

DeviceColumns::DeviceColumns(const AnalysisRequest& request, Table& table)
    : m_request(request), m_table(table)
{
    addGroupColumn(table, request.scope.by);
    const auto add = [&](const char* name, const char* doc) {
        return table.addColumn({name, "", ColumnType::integer, 0, doc});
    };
    if (request.scope.by != GroupBy::rank)
        m_rank = add("Rank", "rank in the job; empty if no file records it");
    m_process = add("PID", "process ID on its host");
    m_device = add("DeviceID", "CUDA device ordinal in the process; empty for rows of a thread");
}

void DeviceColumns::addReport()
{
    if (m_request.scope.by != GroupBy::report && m_request.workspace.keys().size() > 1)
        m_report = m_table.addColumn(
            {"Report", "", ColumnType::text, 0, "path of the report", ColumnMeaning::report});
}

void DeviceColumns::addRow(ReportKey report, ProcessId process, const GroupKey& group, SliceId slice)
{
    m_table.addRow(slice.isValid() ? SliceRef{report, slice} : SliceRef());
    setGroup(m_table, m_request.scope.by, group);
    const Identity& identity = m_request.workspace.identity(report, process);
    if (m_rank && identity.rank.isKnown()) m_table.setNumber(*m_rank, *identity.rank.value);
    const Report& shown = m_request.workspace.report(report);
    if (process.isValid()) m_table.setNumber(m_process, shown.processes[process.value].pid);
    if (m_report) m_table.setText(*m_report, shown.provenance.path.string());
}

void DeviceColumns::setDevice(ReportKey report, DeviceId device)
{
    if (const auto ordinal = ordinalOf(m_request.workspace.report(report), device))
        m_table.setNumber(m_device, *ordinal);
}

} // namespace lockstep
