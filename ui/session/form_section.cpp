// SPDX-License-Identifier: Apache-2.0
#include "ui/session/session_draft.h"
#include "ui/session/session_sections.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

void ConditionalLines::refresh(const SessionConfig& config) const
{
    for (const auto& [line, condition] : m_lines)
        line->setVisible(condition(config));
}

FormSection::FormSection(SessionDraft& draft, const QString& heading, QWidget* parent)
    : SessionSection(draft, heading, parent)
{
    lines()->setSpacing(scaledPixels(1)); // the reserved messages separate the lines
    lines()->addSpacing(scaledPixels(6));
}

SectionLine* FormSection::addText(const std::string& path, const QString& caption, FieldText kind,
                                  ConditionalLines::Condition condition, std::optional<BrowseFor> browse)
{
    SectionLine* const line = addLine(path, caption, new FieldEdit(draft(), path, kind));
    if (browse) line->addButton(new BrowseButton(draft(), path, caption, *browse, line));
    addConditional(line, std::move(condition));
    return line;
}

SectionLine* FormSection::addButtons(const std::string& path, const QString& caption,
                                     std::vector<FieldChoice> choices, ConditionalLines::Condition condition)
{
    SectionLine* const line = addLine(path, caption, new FieldButtons(draft(), path, std::move(choices)));
    addConditional(line, std::move(condition));
    return line;
}

void FormSection::addConditional(QWidget* line, ConditionalLines::Condition condition)
{
    if (condition) m_conditional.add(line, std::move(condition));
}

void FormSection::refreshLines()
{
    m_conditional.refresh(draft().config());
}

} // namespace lockstep
