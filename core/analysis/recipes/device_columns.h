// SPDX-License-Identifier: Apache-2.0
// DeviceColumns: the columns of a recipe's table that say whose a row is: the group, then Rank, PID and
// DeviceID, and at the end which report where several are in the table. Used while one table is made.
#pragma once

#include <optional>

#include "core/analysis/device_work.h"

namespace lockstep {

class DeviceColumns {
  public:
    DeviceColumns(const AnalysisRequest& request, Table& table);
    // After all columns of the analysis.
    void addReport();
    // Adds a row; slice: the instance that a click on it leads to.
    void addRow(ReportKey report, ProcessId process, const GroupKey& group, SliceId slice = {});
    void setDevice(ReportKey report, DeviceId device);

  private:
    const AnalysisRequest& m_request;
    Table& m_table;
    std::optional<size_t> m_rank, m_report;
    size_t m_process, m_device;
};

} // namespace lockstep
