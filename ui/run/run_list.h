// SPDX-License-Identifier: Apache-2.0
// RunList: the list of runs that were started from this machine, newest first, from which the user chooses a
// run to attach to or to remove. UI thread.
#pragma once

#include <vector>

#include <QPushButton>
#include <QTreeWidget>

#include "core/remote/run_pruning.h"

namespace lockstep {

struct KnownRun {
    RunRecord record;
    bool isOver = false; // the run has ended on every host; reports can still be fetched
    StoredEnd end = StoredEnd::none;
    uint64_t size_bytes = 0; // size on disk of the run's folder on this machine
    int64_t lastSeen_ns = 0; // when the newest event was stored; Unix epoch, this machine; 0 = unknown
    bool isStale = false;    // started long ago, and no end was reported: probably its hosts are gone
};

// Returns "running", "succeeded", "failed" or "stopped"; "ended" if the stored events do not state how the
// run ended; "no end reported" for a stale run.
QString runStateText(const KnownRun& run);

class RunList : public QTreeWidget {
    Q_OBJECT

  public:
    explicit RunList(QWidget* parent = nullptr);

    // Shows the runs in the given order.
    void setRuns(const std::vector<KnownRun>& runs);
    // Returns the ID of the selected run, or "" if none is selected.
    QString chosen() const;
    // Returns the selected run, or nullptr. The pointer is valid until the next setRuns().
    const KnownRun* chosenRun() const;
    // Emits removeRequested() for the selected run if it can be removed.
    void requestRemoval();

  signals:
    void attachRequested(const QString& id);
    void removeRequested(const lockstep::KnownRun& run);
    void chosenChanged();

  protected:
    void contextMenuEvent(QContextMenuEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    std::vector<KnownRun> m_runs; // in the order of the items
};

// RemoveRunButton is the button "Remove..." for the selected run of a list, with the reason in its tooltip if
// the run cannot be removed.
class RemoveRunButton : public QPushButton {
    Q_OBJECT

  public:
    // `list` must outlive the button.
    explicit RemoveRunButton(RunList& list, QWidget* parent = nullptr);

  private:
    void refresh();

    RunList& m_list;
};

// Returns why a run cannot be removed now, or "" if it can.
QString removalObstacle(const KnownRun* run);

} // namespace lockstep
