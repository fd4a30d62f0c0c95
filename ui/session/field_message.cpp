// SPDX-License-Identifier: Apache-2.0
#include "ui/session/field_message.h"

#include <QHBoxLayout>
#include <QStyle>
#include <QToolButton>

#include "ui/panels/elided_label.h"
#include "ui/session/session_draft.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

QString toneOf(Severity severity)
{
    return severity == Severity::error ? "bad" : severity == Severity::warning ? "warn" : "quiet";
}

FieldMessage::FieldMessage(SessionDraft& draft, std::string path, QWidget* parent)
    : QWidget(parent), m_draft(draft), m_path(std::move(path)), m_text(new ElidedLabel(this)),
      m_link(new QToolButton(this))
{
    auto* const line = new QHBoxLayout(this);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(scaledPixels(6));
    m_link->setProperty("link", true);
    line->addWidget(m_text, 1);
    line->addWidget(m_link);
    const int height = scaledPixels(16);
    setFixedHeight(height);
    m_link->setFixedHeight(height);
    QSizePolicy policy = sizePolicy();
    policy.setRetainSizeWhenHidden(true);
    setSizePolicy(policy);
    connect(m_link, &QToolButton::clicked, this, &FieldMessage::apply);
    connect(&draft, &SessionDraft::changed, this, &FieldMessage::refresh);
    refresh();
}

void FieldMessage::apply()
{
    const Finding finding = m_finding; // the call replaces m_finding
    if (finding.rule == SessionDraft::kRefusedRule) return m_draft.revert(finding.field);
    fix(m_draft, finding);
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
    if (worst == nullptr) return setVisible(false);
    m_finding = *worst;
    const RefusedText* const refused =
        worst->rule == SessionDraft::kRefusedRule ? m_draft.refused(worst->field) : nullptr;
    show(worst->severity, QString::fromStdString(refused != nullptr ? refused->reason : worst->reason),
         QString::fromStdString(worst->fix));
}

void FieldMessage::show(Severity severity, const QString& text, const QString& tooltip)
{
    m_text->setText(text);
    m_text->setToolTip(tooltip.isEmpty() ? text : text + "\n" + tooltip);
    m_text->setProperty("tone", toneOf(severity));
    m_text->style()->unpolish(m_text);
    m_text->style()->polish(m_text);
    const bool isRefused = m_finding.rule == SessionDraft::kRefusedRule;
    m_link->setVisible(isRefused || m_finding.apply != nullptr);
    m_link->setText(isRefused ? tr("Revert") : tr("Fix"));
    m_link->setToolTip(isRefused ? tr("Discard the typed text and show the session's value") : tooltip);
    m_link->setAccessibleName(isRefused ? tr("Revert %1").arg(m_path.c_str())
                                        : tr("Fix %1").arg(m_path.c_str()));
    setVisible(true);
}

} // namespace lockstep
