// SPDX-License-Identifier: Apache-2.0
// LiveEventLog shows the event log of a host as a report during a run. The log grows on this machine, because
// Run writes events to it as they arrive. The report is recreated when the log has new data. Row by row it
// equals the report of the complete log, since both use EventLogRows. Only new data is read. One thread at a
// time.
#pragma once

#include <filesystem>
#include <memory>

#include "core/readers/live_file.h"
#include "core/readers/run_events/event_log_rows.h"

namespace lockstep {

class LiveEventLog : public LiveFile {
  public:
    explicit LiveEventLog(std::filesystem::path path) : m_path(std::move(path)) {}

    const std::filesystem::path& path() const { return m_path; }
    // O(new bytes + rows). Errors: canceled, io.
    Result<std::shared_ptr<const Report>> read(const Progress& progress) override;

  private:
    std::filesystem::path m_path;
    std::unique_ptr<EventLogRows> m_rows = std::make_unique<EventLogRows>();
    uint64_t m_read_bytes = 0; // number of bytes in complete lines
    uint64_t m_lines = 0;
    bool m_hasNewData = false; // true if there is new data since the last report
};

} // namespace lockstep
