// SPDX-License-Identifier: Apache-2.0
// DeviceColumns: the columns that identify a row in a recipe's table: the group, then Rank, PID and DeviceID,
// and finally the report if the table covers several reports. Used while one table is built.
#pragma once

#include <optional>

#include "core/analysis/device_work.h"

namespace lockstep {

class DeviceColumns {
  public:
    DeviceColumns(const AnalysisRequest& request, Table& table);
    // Call after adding all columns of the analysis.
    void addReport();
    // Adds a row. slice: the instance that is shown when the row is clicked.
    void addRow(ReportKey report, ProcessId process, const GroupKey& group, SliceId slice = {});
    void setDevice(ReportKey report, DeviceId device);

  private:
    const AnalysisRequest& m_request;
    Table& m_table;
    std::optional<size_t> m_rank, m_report;
    size_t m_process, m_device;
};

} // namespace lockstep
