// LoadList: the files being opened, each with a thin bar and a cancel button, and those that could not be opened, each
// with what went wrong and what to do. Part of the Reports panel; empty it takes no room. UI thread.
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

    // Takes the loading and failed ones of the entries; rows keep their widgets and focus.
    void setEntries(const std::vector<ReportEntry>& entries);
    // For tests and the keyboard: the bar of a loading entry, or nullptr.
    QProgressBar* barOf(int key) const;

  signals:
    void cancelRequested(int key);
    void retryRequested(int key);
    void dismissRequested(int key);

  private:
    struct Row {
        QWidget* widget = nullptr;
        QProgressBar* bar = nullptr; // only while loading
        ReportState state = ReportState::loading;
    };

    Row makeLoading(const ReportEntry& entry);
    Row makeFailed(const ReportEntry& entry);
    void update(Row& row, const ReportEntry& entry);

    QLabel* m_loadingCaption;
    QLabel* m_failedCaption;
    QVBoxLayout* m_loading;
    QVBoxLayout* m_failed;
    std::map<int, Row> m_rows;
};

} // namespace lockstep
