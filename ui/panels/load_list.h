// SPDX-License-Identifier: Apache-2.0
// LoadList lists the files being opened, each with a thin progress bar and a cancel button; the files that
// could not be opened; and the files not loaded for lack of memory, each with the reason and remedies. For
// each state, only a limited number of rows is shown; a line below states how many more there are. The row of
// a file that is done shows the next one, because making widgets takes longer than opening a small report.
// Part of the Reports panel; takes no space while empty. UI thread.
#pragma once

#include <map>
#include <vector>

#include <QWidget>

#include "ui/models/report_entry.h"

class QLabel;
class QProgressBar;
class QToolButton;
class QVBoxLayout;

namespace lockstep {

class LoadList : public QWidget {
    Q_OBJECT

  public:
    explicit LoadList(QWidget* parent = nullptr);

    // Shows the entries that are not open. The rows of entries shown before keep their widgets and focus.
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
        ReportState state = ReportState::loading;
        // only while loading
        QLabel* name = nullptr;
        QToolButton* cancel = nullptr;
        QProgressBar* bar = nullptr;
    };

    // Part holds the rows of the entries in one state, below a caption.
    struct Part {
        QLabel* caption = nullptr;
        QVBoxLayout* rows = nullptr;
        QLabel* rest = nullptr;
    };

    Part makePart(const QString& caption);
    Row makeRow(const ReportEntry& entry, std::vector<Row>& unused);
    Row makeLoading();
    Row makeStopped(const ReportEntry& entry);
    void cancelFileOf(const QWidget* row);

    std::map<ReportState, Part> m_parts;
    std::map<ReportKey, Row> m_rows;
};

} // namespace lockstep
