// SPDX-License-Identifier: Apache-2.0
// RunRemoval asks whether the folder of an earlier run is to be deleted on this machine, and deletes it on
// another thread. The run's folders on its hosts are kept. Owned by the Run page's controller. UI thread.
#pragma once

#include <QObject>

#include "ui/async/latest_job.h"
#include "ui/run/run_list.h"

namespace lockstep {

class RunRemoval : public QObject {
    Q_OBJECT

  public:
    explicit RunRemoval(QObject* parent = nullptr);

    // Opens the question over `window`. Returns immediately.
    void prompt(QWidget& window, const KnownRun& run);
    void remove(const KnownRun& run);
    bool isBusy() const { return m_remove.isRunning(); }

  signals:
    void removed(); // the removal has ended; after a failure, a part of the folder may be left
    void failed(const QString& reason);

  private:
    LatestJob<bool> m_remove;
};

} // namespace lockstep
