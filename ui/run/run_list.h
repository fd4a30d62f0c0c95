// SPDX-License-Identifier: Apache-2.0
// RunList: the list of runs that were started from this machine, newest first, from which the user chooses a
// run to attach to. UI thread.
#pragma once

#include <vector>

#include <QTreeWidget>

#include "core/remote/run_record.h"

namespace lockstep {

struct KnownRun {
    RunRecord record;
    bool isOver = false; // the run has ended on every host; reports can still be fetched
};

class RunList : public QTreeWidget {
    Q_OBJECT

  public:
    explicit RunList(QWidget* parent = nullptr);

    // Shows the runs in the given order.
    void setRuns(const std::vector<KnownRun>& runs);
    // Returns the ID of the selected run, or "" if none is selected.
    QString chosen() const;

  signals:
    void attachRequested(const QString& id);
};

} // namespace lockstep
