// SPDX-License-Identifier: Apache-2.0
// ReportList holds the requested reports in order, with the state of each report, and the files that were
// skipped in folders. The WorkspaceController changes the list and emits changed(); panels and the status bar
// read the list. UI thread.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include <QObject>

#include "core/readers/report_search.h"
#include "core/trace/workspace.h"
#include "ui/async/load_job.h"
#include "ui/models/report_entry.h"

namespace lockstep {

class ReportList : public QObject {
    Q_OBJECT

  public:
    using QObject::QObject;

    const std::vector<ReportEntry>& entries() const { return m_entries; }
    const std::vector<SkippedFile>& skippedFiles() const { return m_skippedFiles; }
    std::vector<ReportKey> openKeys() const;
    bool hasOpen() const { return count(ReportState::open) > 0; }
    size_t count(ReportState state) const;
    // Returns the open reports with their current identities.
    Workspace openReports() const;
    // Returns the resident memory of all open reports and their level-of-detail data, in bytes. O(1).
    size_t residentBytes() const { return m_resident_bytes; }
    size_t mappedBytes() const; // see Report::mappedBytes()

    std::vector<ReportEntry>& entries() { return m_entries; }
    // Return the entry with that key or file, or nullptr. O(1), and O(entries) after a removal.
    ReportEntry* find(ReportKey key);
    ReportEntry* findFile(const std::filesystem::path& path);
    // Adds a loading entry with a new key. Keys are never reused.
    ReportEntry& add(const std::filesystem::path& path);
    // Returns an unused key for a report that does not come from a file.
    ReportKey newKey() { return ReportKey(m_nextKey++); }
    void remove(ReportKey key);
    void removeLoading();
    // Replaces the entry with the reports in its file; the first report keeps the key. Returns the keys in
    // file order.
    std::vector<ReportKey> setOpened(ReportKey key, const OpenedFile& file);
    void addSkippedFiles(const std::vector<SkippedFile>& files);

  signals:
    void changed(); // once per batch of changes
    // Emitted if only the progress of loading entries changed. At most 20 times per second.
    void progressed();

  private:
    void index();

    uint32_t m_nextKey = 0;
    std::vector<ReportEntry> m_entries;
    // Positions in m_entries. A file that is open several times is found at its first entry.
    std::unordered_map<uint32_t, size_t> m_byKey;
    std::unordered_map<std::string, size_t> m_byFile;
    bool m_isIndexed = true;
    size_t m_resident_bytes = 0;
    std::vector<SkippedFile> m_skippedFiles;
};

} // namespace lockstep
