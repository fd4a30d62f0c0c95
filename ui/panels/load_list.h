// SPDX-License-Identifier: Apache-2.0
// LoadList lists the files being opened, each with a thin progress bar and a cancel button; the files that
// could not be opened; and the files not loaded for lack of memory, each with the reason and remedies. For
// each state, only a limited number of rows is shown; a line below states how many more there are. Part of
// the Reports panel; takes no space while empty. UI thread.
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

    // Shows the entries that are not open. Rows keep their widgets and focus.
    void setEntries(const std::vector<ReportEntry>& entries);
    // Returns the progress bar of a loading entry, or nullptr.
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

    // Part holds the rows of the entries in one state, below a caption.
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
