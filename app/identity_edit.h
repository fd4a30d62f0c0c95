// SPDX-License-Identifier: Apache-2.0
// IdentityEdit: one undoable change of what the user says of whose reports are: a cell, a pasted block, a
// file. Made from the stated identities before and after; the undo stack of the window owns it. UI thread.
#pragma once

#include <map>

#include <QUndoCommand>

#include "app/workspace_controller.h"
#include "ui/models/report_identity_model.h"

namespace lockstep {

class IdentityEdit : public QUndoCommand {
  public:
    using Stated = std::map<ReportKey, Identity>; // by ReportEntry::key

    // The stated identities that the cells make of those the entries have. invalid: a cell that cannot be;
    // then nothing changes.
    static Result<Stated> statedBy(const std::vector<IdentityCell>& cells, const std::string& source,
                                   const std::vector<ReportEntry>& entries);

    // controller outlives the command. Reports that are closed meanwhile are passed over.
    IdentityEdit(WorkspaceController& controller, const QString& text, Stated after);

    void undo() override { m_controller.setStated(m_before); }
    void redo() override { m_controller.setStated(m_after); }

  private:
    WorkspaceController& m_controller;
    Stated m_before, m_after;
};

} // namespace lockstep
