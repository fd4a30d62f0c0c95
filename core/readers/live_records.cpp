// SPDX-License-Identifier: Apache-2.0
#include "core/readers/live_records.h"

#include <algorithm>
#include <utility>

#include "core/readers/registry.h"

namespace lockstep {

void LiveRecords::follow(const std::filesystem::path& path, uint64_t size_bytes)
{
    m_path = path;
    m_size_bytes = size_bytes;
}

Result<std::shared_ptr<const Report>> LiveRecords::read(const Progress& progress)
{
    if (m_size_bytes == 0 || (m_path == m_readPath && m_size_bytes == m_read_bytes)) return nullptr;
    const std::shared_ptr<const Report> report = LOCKSTEP_TRY(readGrowingReport(m_path, progress));
    // Another thread was appending lines. They are complete in the next round. If they are not, no further
    // data has arrived, and the line really is incomplete.
    const bool isCut = std::ranges::any_of(report->notes.all(), [](const ImportNote& note) {
        return note.kind == "records.cut_short" || note.kind == "file.truncated";
    });
    if (isCut && std::exchange(m_cut_bytes, m_size_bytes) != m_size_bytes) return nullptr;
    m_readPath = m_path;
    m_read_bytes = m_size_bytes;
    return report;
}

} // namespace lockstep
