// SPDX-License-Identifier: Apache-2.0
#include "ui/models/report_list.h"

#include <algorithm>

namespace lockstep {

std::vector<ReportKey> ReportList::openKeys() const
{
    std::vector<ReportKey> keys;
    for (const ReportEntry& entry : m_entries) {
        if (entry.state == ReportState::open) keys.push_back(entry.key);
    }
    return keys;
}

size_t ReportList::count(ReportState state) const
{
    return static_cast<size_t>(std::ranges::count(m_entries, state, &ReportEntry::state));
}

Workspace ReportList::openReports() const
{
    Workspace reports;
    for (const ReportEntry& entry : m_entries) {
        if (entry.state == ReportState::open) reports.add(entry.key, entry.report, entry.identity);
    }
    return reports;
}

size_t ReportList::residentBytes() const
{
    size_t bytes = 0;
    for (const ReportEntry& entry : m_entries) {
        if (entry.report) bytes += entry.report->residentBytes() + entry.lod->residentBytes();
    }
    return bytes;
}

size_t ReportList::mappedBytes() const
{
    size_t bytes = 0;
    for (const ReportEntry& entry : m_entries) {
        if (entry.report) bytes += entry.report->mappedBytes();
    }
    return bytes;
}

ReportEntry* ReportList::find(ReportKey key)
{
    const auto entry = std::ranges::find(m_entries, key, &ReportEntry::key);
    return entry == m_entries.end() ? nullptr : &*entry;
}

ReportEntry* ReportList::findFile(const std::filesystem::path& path)
{
    const auto entry = std::ranges::find(m_entries, path, &ReportEntry::path);
    return entry == m_entries.end() ? nullptr : &*entry;
}

ReportEntry& ReportList::add(const std::filesystem::path& path)
{
    ReportEntry entry;
    entry.key = ReportKey(m_nextKey++);
    entry.path = path;
    return m_entries.emplace_back(std::move(entry));
}

void ReportList::remove(ReportKey key)
{
    std::erase_if(m_entries, [key](const ReportEntry& entry) { return entry.key == key; });
}

void ReportList::removeLoading()
{
    std::erase_if(m_entries, [](const ReportEntry& entry) { return entry.state == ReportState::loading; });
}

std::vector<ReportKey> ReportList::setOpened(ReportKey key, const OpenedFile& file)
{
    auto at = std::ranges::find(m_entries, key, &ReportEntry::key);
    const std::filesystem::path requestedPath = at->path;
    at = m_entries.erase(at);
    std::vector<ReportKey> keys;
    for (const OpenedReport& opened : file.reports) {
        ReportEntry entry;
        entry.key = keys.empty() ? key : ReportKey(m_nextKey++);
        entry.path = file.isWorkspace ? opened.report->provenance.path : requestedPath;
        if (file.isWorkspace) entry.container = requestedPath;
        entry.state = ReportState::open;
        entry.report = opened.report;
        entry.identity = std::make_shared<const ReportIdentity>(
            identityOf(*opened.report, opened.stated, opened.planned, opened.processEdits));
        entry.lod = opened.lod;
        keys.push_back(entry.key);
        at = m_entries.insert(at, std::move(entry)) + 1;
    }
    return keys;
}

void ReportList::addSkippedFiles(const std::vector<SkippedFile>& files)
{
    m_skippedFiles.insert(m_skippedFiles.end(), files.begin(), files.end());
}

} // namespace lockstep
