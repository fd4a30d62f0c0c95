// SPDX-License-Identifier: Apache-2.0
// LoadList: the files being opened, each with a thin bar and a cancel button, those that could not be opened,
// and those left unloaded for want of memory, each with why and what to do. Of very many only the first of a
// kind have a row; a line counts the rest. Part of the Reports panel; empty it takes no room. UI thread.
#pragma once

#include <map>
#include <vector>

#include <QWidget>

#include "ui/models/report_entry.h"

class QLabel;
class QProgressBar;
class QVBoxLayout;

namespace lockstep {

class LoadList : public QWidget {
    Q_OBJECT

  public:
    explicit LoadList(QWidget* parent = nullptr);

    // Takes those of the entries that are not open; rows keep their widgets and focus.
    void setEntries(const std::vector<ReportEntry>& entries);
    // For tests and the keyboard: the bar of a loading entry, or nullptr.
    QProgressBar* barOf(ReportKey key) const;

  signals:
    void cancelRequested(ReportKey key);
    void retryRequested(ReportKey key);
    void dismissRequested(ReportKey key);

  private:
    struct Row {
        QWidget* widget = nullptr;
        QProgressBar* bar = nullptr; // only while loading
        ReportState state = ReportState::loading;
    };

    // The rows of one state under their caption.
    struct Part {
        QLabel* caption = nullptr;
        QVBoxLayout* rows = nullptr;
        QLabel* rest = nullptr;
    };

    Part makePart(const QString& caption);
    Row makeLoading(const ReportEntry& entry);
    Row makeStopped(const ReportEntry& entry);
    void update(Row& row, const ReportEntry& entry);

    std::map<ReportState, Part> m_parts;
    std::map<ReportKey, Row> m_rows;
};

} // namespace lockstep
