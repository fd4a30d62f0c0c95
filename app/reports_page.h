// SPDX-License-Identifier: Apache-2.0
// ReportsPage: what the pages behind the tab "Timeline" have in common: the start of an empty window, the
// choice among many files, and the timeline itself. UI thread.
#pragma once

#include "app/page.h"

namespace lockstep {

class ReportsPage : public Page {
    Q_OBJECT

  public:
    // undo: of the workspace; outlives the page.
    explicit ReportsPage(QUndoStack& undo) : m_undo(undo) {}

    Tab tab() const override { return {tr("Timeline"), tr("All shown reports on one time axis (Alt+2)")}; }
    bool isOfReports() const override { return true; }
    QUndoStack* undoStack() override { return &m_undo; }

  private:
    QUndoStack& m_undo;
};

} // namespace lockstep
