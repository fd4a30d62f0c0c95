// SPDX-License-Identifier: Apache-2.0
// RunHead: the line at the top of the Run page: what runs, how far it is, and what can be done with it. UI
// thread.
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

    // run is null where there is none.
    void refresh(const Run* run, bool isFetching);

  signals:
    void closeRequested();
    void detachRequested();
    void stopAfterStepRequested();
    // SIGTERM, grace_s for the profilers to write their reports, then SIGKILL.
    void stopRequested(double grace_s);
    void openRequested();

  private:
    void askToStop();

    QLabel* m_name;
    QLabel* m_state;
    QPushButton* m_detach;
    QPushButton* m_stopAfterStep;
    QPushButton* m_stop;
    QPushButton* m_open;
    bool m_isOver = false;
};

// "running · started 12:01:07 UTC, 00:08:42, step 5 of 20 · 2 of 2 hosts · 13 of 17 reports".
QString runHeadText(const Run& run, int64_t now_ns);
// Reports that a workspace could hold: complete on their node or here.
size_t arrivedCount(const Ledger& ledger);

} // namespace lockstep
