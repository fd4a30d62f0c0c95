// SPDX-License-Identifier: Apache-2.0
// ReportsPage is the base class of the pages in the "Timeline" tab: the start page, the file chooser and the
// timeline. UI thread.
#pragma once

#include "app/window/page.h"

namespace lockstep {

class ReportsPage : public Page {
    Q_OBJECT

  public:
    // `undo` is the undo stack of the workspace and outlives the page.
    explicit ReportsPage(QUndoStack& undo) : m_undo(undo) {}

    Tab tab() const override { return {tr("Timeline"), tr("All visible reports on one time axis (Alt+2)")}; }
    bool showsReports() const override { return true; }
    QUndoStack* undoStack() override { return &m_undo; }

  private:
    QUndoStack& m_undo;
};

} // namespace lockstep
