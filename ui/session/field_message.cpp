// SPDX-License-Identifier: Apache-2.0
#include "ui/session/field_message.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QStyle>
#include <QToolButton>

#include "ui/session/session_draft.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

QString toneOf(Severity severity)
{
    return severity == Severity::error ? "bad" : severity == Severity::warning ? "warn" : "quiet";
}

FieldMessage::FieldMessage(SessionDraft& draft, std::string path, QWidget* parent)
    : QWidget(parent), m_draft(draft), m_path(std::move(path)), m_text(new QLabel(this)),
      m_fix(new QToolButton(this))
{
    auto* const line = new QHBoxLayout(this);
    line->setContentsMargins(0, scaledPixels(2), 0, 0);
    line->setSpacing(scaledPixels(6));
    m_text->setWordWrap(true);
    m_text->setTextFormat(Qt::PlainText);
    m_fix->setText(tr("Fix"));
    m_fix->setProperty("link", true);
    line->addWidget(m_text, 1);
    line->addWidget(m_fix, 0, Qt::AlignTop);
    connect(m_fix, &QToolButton::clicked, this, [this] { m_draft.fix(Finding(m_finding)); });
    connect(&draft, &SessionDraft::changed, this, &FieldMessage::refresh);
    refresh();
}

void FieldMessage::setProblem(const QString& problem)
{
    m_problem = problem;
    refresh();
}

QString FieldMessage::text() const
{
    return m_text->text();
}

void FieldMessage::refresh()
{
    m_finding = {};
    const Finding* worst = nullptr;
    for (const Finding& finding : m_draft.findings()) {
        if (finding.field != m_path && !finding.field.starts_with(m_path + ".")) continue;
        if (finding.isMissing)
            continue; // the placeholder shows that the field is empty; Session checks shows the remedy
        if (worst == nullptr || finding.severity > worst->severity) worst = &finding;
    }
    if (worst != nullptr) m_finding = *worst;
    if (!m_problem.isEmpty()) return show(Severity::error, m_problem, {});
    if (worst == nullptr) return setVisible(false);
    show(worst->severity, QString::fromStdString(worst->reason), QString::fromStdString(worst->fix));
}

void FieldMessage::show(Severity severity, const QString& text, const QString& tooltip)
{
    m_text->setText(text);
    m_text->setToolTip(tooltip);
    m_text->setProperty("tone", toneOf(severity));
    m_text->style()->unpolish(m_text);
    m_text->style()->polish(m_text);
    m_fix->setVisible(m_problem.isEmpty() && m_finding.apply != nullptr);
    m_fix->setToolTip(tooltip);
    m_fix->setAccessibleName(tr("Fix %1").arg(m_path.c_str()));
    setVisible(true);
}

} // namespace lockstep
