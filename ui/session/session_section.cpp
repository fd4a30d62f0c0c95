// SPDX-License-Identifier: Apache-2.0
#include "ui/session/session_section.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "core/session/session_fields.h"
#include "ui/session/field_message.h"
#include "ui/session/session_draft.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

SectionLine::SectionLine(SessionDraft& draft, const std::string& path, const QString& caption,
                         QWidget* editor, QWidget* parent)
    : QWidget(parent), m_editor(new QHBoxLayout)
{
    auto* const grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setVerticalSpacing(0);
    grid->setHorizontalSpacing(scaledPixels(10));
    grid->setColumnMinimumWidth(0, scaledPixels(104));
    grid->setColumnStretch(1, 1);
    auto* const label = new QLabel(caption, this);
    label->setProperty("muted", true);
    label->setBuddy(editor);
    label->setMinimumHeight(scaledPixels(26));
    grid->addWidget(label, 0, 0, Qt::AlignTop);
    m_editor->setSpacing(scaledPixels(6));
    const bool isNarrow = editor->sizePolicy().horizontalPolicy() == QSizePolicy::Maximum;
    m_editor->addWidget(editor, isNarrow ? 0 : 1);
    if (isNarrow) m_editor->addStretch(1);
    grid->addLayout(m_editor, 0, 1);
    grid->addWidget(new FieldMessage(draft, path, this), 1, 1);
    const SessionField* const field = findSessionField(path);
    if (field != nullptr && !field->comment.empty()) {
        label->setToolTip(QString::fromStdString(field->comment));
        editor->setToolTip(QString::fromStdString(field->comment));
    }
    editor->setAccessibleName(caption);
    editor->setObjectName(QString::fromStdString(path));
}

void SectionLine::addButton(QWidget* button)
{
    m_editor->addWidget(button);
}

SessionSection::SessionSection(SessionDraft& draft, const QString& heading, QWidget* parent)
    : Card(heading, parent), m_draft(draft)
{
}

SectionLine* SessionSection::addLine(const std::string& path, const QString& caption, QWidget* editor)
{
    auto* const line = new SectionLine(m_draft, path, caption, editor, this);
    lines()->addWidget(line);
    return line;
}

} // namespace lockstep
