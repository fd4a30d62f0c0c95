// SPDX-License-Identifier: Apache-2.0
// RunList: the runs that were started from this machine, newest first, to pick one up again. UI thread.
#pragma once

#include <vector>

#include <QTreeWidget>

#include "core/remote/run_record.h"

namespace lockstep {

struct KnownRun {
    RunRecord record;
    bool isOver = false; // every host told its end; what it wrote can still be fetched
};

class RunList : public QTreeWidget {
    Q_OBJECT

  public:
    explicit RunList(QWidget* parent = nullptr);

    // In the order in which they are shown.
    void setRuns(const std::vector<KnownRun>& runs);
    // Empty: none is chosen.
    QString chosen() const;

  signals:
    void attachRequested(const QString& id);
};

} // namespace lockstep
