// SPDX-License-Identifier: Apache-2.0
// IdentityEdit is one undoable change of the user's report identities: an edited cell, a pasted block or an
// imported file. Owned by the undo stack of the window. UI thread.
#pragma once

#include <map>

#include <QUndoCommand>

#include "app/window/workspace_controller.h"
#include "ui/models/report_identity_model.h"

namespace lockstep {

class IdentityEdit : public QUndoCommand {
  public:
    using Stated = std::map<ReportKey, Identity>; // keyed by ReportEntry::key

    // Returns the user's identities after `cells` are changed. Error: invalid (a cell has an invalid value).
    static Result<Stated> statedBy(const std::vector<IdentityCell>& cells, const std::string& source,
                                   const std::vector<ReportEntry>& entries);

    // `controller` outlives the command. Skips reports that were closed meanwhile.
    IdentityEdit(WorkspaceController& controller, const QString& text, Stated after);

    void undo() override { m_controller.setStated(m_before); }
    void redo() override { m_controller.setStated(m_after); }

  private:
    WorkspaceController& m_controller;
    Stated m_before, m_after;
};

} // namespace lockstep
