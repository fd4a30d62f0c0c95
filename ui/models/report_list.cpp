// SPDX-License-Identifier: Apache-2.0
#include "ui/models/report_list.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace lockstep {

namespace {

size_t residentBytesOf(const ReportEntry& entry)
{
    return entry.report ? entry.report->residentBytes() + entry.lod->residentBytes() : 0;
}

} // namespace

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

size_t ReportList::mappedBytes() const
{
    size_t bytes = 0;
    for (const ReportEntry& entry : m_entries) {
        if (entry.report) bytes += entry.report->mappedBytes();
    }
    return bytes;
}

void ReportList::index()
{
    if (std::exchange(m_isIndexed, true)) return;
    m_byKey.clear();
    m_byFile.clear();
    for (size_t at = 0; at < m_entries.size(); ++at) {
        m_byKey[m_entries[at].key.value] = at;
        m_byFile.try_emplace(m_entries[at].path.native(), at);
    }
}

ReportEntry* ReportList::find(ReportKey key)
{
    index();
    const auto found = m_byKey.find(key.value);
    return found == m_byKey.end() ? nullptr : &m_entries[found->second];
}

ReportEntry* ReportList::findFile(const std::filesystem::path& path)
{
    index();
    const auto found = m_byFile.find(path.native());
    return found == m_byFile.end() ? nullptr : &m_entries[found->second];
}

ReportEntry& ReportList::add(const std::filesystem::path& path)
{
    ReportEntry entry;
    entry.key = ReportKey(m_nextKey++);
    entry.path = path;
    m_byKey[entry.key.value] = m_entries.size();
    m_byFile.try_emplace(path.native(), m_entries.size());
    return m_entries.emplace_back(std::move(entry));
}

void ReportList::remove(ReportKey key)
{
    const ReportEntry* const entry = find(key);
    if (entry == nullptr) return;
    m_resident_bytes -= residentBytesOf(*entry);
    m_entries.erase(m_entries.begin() + (entry - m_entries.data()));
    m_isIndexed = false;
}

void ReportList::removeLoading()
{
    std::erase_if(m_entries, [](const ReportEntry& entry) { return entry.state == ReportState::loading; });
    m_isIndexed = false;
}

std::vector<ReportKey> ReportList::setOpened(ReportKey key, const OpenedFile& file)
{
    const ReportEntry* const requested = find(key);
    const std::filesystem::path requestedPath = requested->path;
    std::vector<ReportEntry> entries;
    std::vector<ReportKey> keys;
    for (const OpenedReport& opened : file.reports) {
        ReportEntry& entry = entries.emplace_back();
        entry.key = keys.empty() ? key : ReportKey(m_nextKey++);
        entry.path = file.isWorkspace ? opened.report->provenance.path : requestedPath;
        if (file.isWorkspace) entry.container = requestedPath;
        entry.state = ReportState::open;
        entry.report = opened.report;
        entry.identity = std::make_shared<const ReportIdentity>(
            identityOf(*opened.report, opened.stated, opened.planned, opened.processEdits));
        entry.lod = opened.lod;
        m_resident_bytes += residentBytesOf(entry);
        keys.push_back(entry.key);
    }
    const auto at = m_entries.begin() + (requested - m_entries.data());
    if (entries.size() == 1 && !file.isWorkspace) { // the usual case keeps all positions
        *at = std::move(entries.front());
        return keys;
    }
    m_entries.insert(m_entries.erase(at), std::make_move_iterator(entries.begin()),
                     std::make_move_iterator(entries.end()));
    m_isIndexed = false;
    return keys;
}

void ReportList::addSkippedFiles(const std::vector<SkippedFile>& files)
{
    m_skippedFiles.insert(m_skippedFiles.end(), files.begin(), files.end());
}

} // namespace lockstep
