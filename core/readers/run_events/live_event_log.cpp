// SPDX-License-Identifier: Apache-2.0
#include "core/readers/run_events/live_event_log.h"

#include "core/base/mapped_file.h"

namespace lockstep {

Result<std::shared_ptr<const Report>> LiveEventLog::read(const Progress& progress)
{
    std::error_code error;
    const uint64_t size_bytes = std::filesystem::file_size(m_path, error);
    if (error || size_bytes == m_read_bytes) return nullptr;
    const MappedFile mapped = LOCKSTEP_TRY(MappedFile::open(m_path));
    std::string_view text = mapped.text();
    if (text.size() < m_read_bytes) { // a different log has this name now
        m_rows = std::make_unique<EventLogRows>();
        m_read_bytes = m_lines = 0;
    }
    text.remove_prefix(m_read_bytes);
    for (size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
        if (m_lines % 4096 == 0) LOCKSTEP_TRY(progress.check());
        m_hasNewData |= m_rows->handleLine(text.substr(0, end), m_lines);
        text.remove_prefix(end + 1);
        m_read_bytes += end + 1;
        ++m_lines;
    }
    if (!m_hasNewData) return nullptr;
    ReportBuilder builder;
    EventLogRows::describe(builder.report(), m_path, m_read_bytes);
    m_rows->addTo(builder);
    builder.report().chunk = 0; // the rest of the log does not exist yet
    std::shared_ptr<const Report> report = LOCKSTEP_TRY(builder.freeze(progress));
    m_hasNewData = false;
    return report;
}

} // namespace lockstep
