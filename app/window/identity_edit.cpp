// SPDX-License-Identifier: Apache-2.0
#include "app/window/identity_edit.h"

#include <algorithm>

#include "core/trace/identity_parts.h"

namespace lockstep {

Result<IdentityEdit::Stated> IdentityEdit::statedBy(const std::vector<IdentityCell>& cells,
                                                    const std::string& source,
                                                    const std::vector<ReportEntry>& entries)
{
    Stated stated;
    for (const IdentityCell& cell : cells) {
        const auto entry = std::ranges::find(entries, cell.key, &ReportEntry::key);
        if (entry == entries.end() || !entry->identity) continue;
        Identity& said = stated.try_emplace(cell.key, entry->identity->stated).first->second;
        LOCKSTEP_TRY(editPart(said, cell.part, cell.text, source));
    }
    return stated;
}

IdentityEdit::IdentityEdit(WorkspaceController& controller, const QString& text, Stated after)
    : QUndoCommand(text), m_controller(controller), m_after(std::move(after))
{
    for (const ReportEntry& entry : controller.reports().entries()) {
        if (entry.identity && m_after.contains(entry.key)) m_before[entry.key] = entry.identity->stated;
    }
}

} // namespace lockstep
