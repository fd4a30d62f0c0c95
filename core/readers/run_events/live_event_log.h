// SPDX-License-Identifier: Apache-2.0
// LiveEventLog: a host's event log that grows here while its run goes on (Run writes it as events arrive), as
// a report that is made anew when the log tells more: the same report, row by row, that the whole log is when
// it is opened, since the same EventLogRows make both. Only what is new is read. Each call belongs to one
// thread at a time.
#pragma once

#include <filesystem>
#include <memory>

#include "core/base/progress.h"
#include "core/readers/run_events/event_log_rows.h"

namespace lockstep {

class LiveEventLog {
  public:
    explicit LiveEventLog(std::filesystem::path path) : m_path(std::move(path)) {}

    const std::filesystem::path& path() const { return m_path; }
    // The whole log so far; null: it says nothing new, or is not there yet. O(new bytes + rows). canceled,
    // io.
    Result<std::shared_ptr<const Report>> read(const Progress& progress);

  private:
    std::filesystem::path m_path;
    std::unique_ptr<EventLogRows> m_rows = std::make_unique<EventLogRows>();
    uint64_t m_read_bytes = 0; // whole lines
    uint64_t m_lines = 0;
    bool m_hasNews = false; // since the last report
};

} // namespace lockstep
