// SPDX-License-Identifier: Apache-2.0
// ReportList: the reports that were asked for, in that order, with what became of each, and the files of
// folders that were passed over. Written by the owner of the loads, which says when it changed; panels and
// the status line read it. UI thread.
#pragma once

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
    const std::vector<PassedOver>& passedOver() const { return m_passedOver; }
    std::vector<ReportKey> openKeys() const;
    bool hasOpen() const { return count(ReportState::open) > 0; }
    size_t count(ReportState state) const;
    // The open ones with what is said of them by now.
    Workspace openReports() const;
    // Of all open ones and their level of detail.
    size_t residentBytes() const;
    size_t mappedBytes() const; // see Report::mappedBytes()

    std::vector<ReportEntry>& entries() { return m_entries; }
    // nullptr: no entry has that key (that file).
    ReportEntry* find(ReportKey key);
    ReportEntry* findFile(const std::filesystem::path& path);
    // A loading one under a key that was never used.
    ReportEntry& add(const std::filesystem::path& path);
    // For a report that is in no file; nobody else gets it.
    ReportKey newKey() { return ReportKey(m_nextKey++); }
    void remove(ReportKey key);
    void removeLoading();
    // The entry becomes the first report that its file held, others follow it; their keys in the file's
    // order.
    std::vector<ReportKey> setOpened(ReportKey key, const OpenedFile& file);
    void addPassedOver(const std::vector<PassedOver>& files);

  signals:
    void changed(); // once for all that was done together
    // Only fractions of loading ones moved; at most 20 times a second.
    void progressed();

  private:
    uint32_t m_nextKey = 0;
    std::vector<ReportEntry> m_entries;
    std::vector<PassedOver> m_passedOver;
};

} // namespace lockstep
