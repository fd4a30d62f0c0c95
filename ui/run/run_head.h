// SPDX-License-Identifier: Apache-2.0
// RunHead: the header line of the Run page, with the run's name and progress, and buttons that stop the run
// or open its reports. UI thread.
#pragma once

#include <QWidget>

#include "core/remote/run.h"

class QLabel;
class QPushButton;

namespace lockstep {

class RunHead : public QWidget {
    Q_OBJECT

  public:
    explicit RunHead(QWidget* parent);

    // `run` is null if there is none.
    void refresh(const Run* run, bool isFetching);
    // Asks whether to stop the run; stopRequested() follows if the user confirms.
    void requestStop();

  signals:
    void closeRequested();
    void detachRequested();
    void stopAfterStepRequested();
    // Requests that the run be stopped with SIGTERM and, after grace_s seconds, with SIGKILL. The grace
    // period lets profilers write their reports.
    void stopRequested(double grace_s);
    void openRequested();
    void recordRequested(); // requests the dialog that records the run's servers

  private:
    QLabel* m_name;
    QLabel* m_state;
    QPushButton* m_record;
    QPushButton* m_detach;
    QPushButton* m_stopAfterStep;
    QPushButton* m_stop;
    QPushButton* m_open;
    bool m_isOver = false;
};

// Returns why the servers of the run cannot be recorded, or "" if they can.
QString recordingObstacle(const Run* run);
// Returns e.g. "running · started 12:01:07 UTC, 00:08:42 ·
// step 5 of 20 · 2 of 2 hosts reached · 13 of 17 reports".
QString runHeadText(const Run& run, int64_t now_ns);
// Returns the number of reports that can be opened: complete on their host, or fetched.
size_t arrivedCount(const Ledger& ledger);
// Returns the number of reports that are expected or were found, without those that are not collected.
size_t reportCount(const Ledger& ledger);
// Returns the number of reports that exist, but were not completed.
size_t unfinishedCount(const Ledger& ledger);

} // namespace lockstep
