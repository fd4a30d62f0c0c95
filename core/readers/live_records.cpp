// SPDX-License-Identifier: Apache-2.0
#include "core/readers/live_records.h"

#include <algorithm>
#include <utility>

#include "core/readers/registry.h"

namespace lockstep {

Result<std::shared_ptr<const Report>> LiveRecords::read(const Progress& progress)
{
    std::vector<Part> parts = m_parts;
    std::erase_if(parts, [](const Part& part) { return part.size_bytes == 0; });
    if (parts.empty() || parts == m_read) return nullptr;
    std::vector<std::filesystem::path> files;
    for (const Part& part : parts)
        files.push_back(part.path);
    const std::shared_ptr<const Report> report = LOCKSTEP_TRY(readGrowingReport(files, progress));
    // Another thread was appending lines. They are complete in the next round. If they are not, no further
    // data has arrived, and the line really is incomplete.
    const bool isCut = std::ranges::any_of(report->notes.all(), [](const ImportNote& note) {
        return note.kind == "records.cut_short" || note.kind == "file.truncated";
    });
    if (isCut && std::exchange(m_cut, parts) != parts) return nullptr;
    m_read = std::move(parts);
    return report;
}

} // namespace lockstep
