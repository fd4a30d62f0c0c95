// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <QGridLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/session/field_message.h"
#include "ui/session/preview_sections.h"
#include "ui/session/session_draft.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

constexpr size_t kMaxFindings = 40;

QString severityWord(const Finding& finding)
{
    return finding.isMissing                       ? FindingsSection::tr("to do")
           : finding.severity == Severity::error   ? FindingsSection::tr("error")
           : finding.severity == Severity::warning ? FindingsSection::tr("warning")
                                                   : FindingsSection::tr("note");
}

} // namespace

FindingsSection::FindingsSection(SessionDraft& draft, QWidget* parent)
    : SessionSection(draft, tr("Session checks"), parent), m_rows(nullptr)
{
    setObjectName("findings");
    connect(&draft, &SessionDraft::changed, this, &FindingsSection::refresh);
    refresh();
}

QWidget* FindingsSection::makeRow(const Finding& finding)
{
    auto* const row = new QWidget(m_rows);
    auto* const grid = new QGridLayout(row);
    grid->setContentsMargins(0, scaledPixels(3), 0, scaledPixels(3));
    grid->setHorizontalSpacing(scaledPixels(10));
    grid->setVerticalSpacing(0);
    grid->setColumnMinimumWidth(0, scaledPixels(44));
    grid->setColumnStretch(1, 1);
    auto* const severity = new QLabel(severityWord(finding), row);
    severity->setProperty("tone", toneOf(finding.isMissing ? Severity::note : finding.severity));
    auto* const reason = new QLabel(QString::fromStdString(finding.reason), row);
    auto* const fix = new QLabel(QString::fromStdString(finding.fix), row);
    fix->setProperty("muted", true);
    for (QLabel* label : {reason, fix}) {
        label->setWordWrap(true);
        label->setTextFormat(Qt::PlainText);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    }
    auto* const field = new QToolButton(row);
    field->setText(QString::fromStdString(finding.field));
    field->setProperty("link", true);
    field->setToolTip(tr("Go to this field"));
    connect(field, &QToolButton::clicked, this,
            [this, path = QString::fromStdString(finding.field)] { emit fieldRequested(path); });
    grid->addWidget(severity, 0, 0, Qt::AlignTop);
    grid->addWidget(reason, 0, 1);
    if (!finding.fix.empty()) grid->addWidget(fix, 1, 1);
    if (!finding.field.empty()) grid->addWidget(field, 2, 1, Qt::AlignLeft);
    if (finding.rule == SessionDraft::kRefusedRule) {
        auto* const revert = new QToolButton(row);
        revert->setText(tr("Revert"));
        revert->setToolTip(tr("Discard the typed text and show the session's value"));
        revert->setProperty("link", true);
        revert->setObjectName("revert " + QString::fromStdString(finding.field));
        connect(revert, &QToolButton::clicked, this, [this, path = finding.field] { draft().revert(path); });
        grid->addWidget(revert, 0, 2, Qt::AlignTop);
    } else if (finding.apply) {
        auto* const apply = new QToolButton(row);
        apply->setText(tr("Fix"));
        apply->setProperty("link", true);
        apply->setObjectName("fix " + QString::fromStdString(finding.rule));
        connect(apply, &QToolButton::clicked, this, [this, finding] { lockstep::fix(draft(), finding); });
        grid->addWidget(apply, 0, 2, Qt::AlignTop);
    }
    return row;
}

void FindingsSection::refresh()
{
    if (m_rows != nullptr) {
        lines()->removeWidget(m_rows);
        m_rows->hide();
        m_rows->deleteLater(); // deleted later because a Fix link inside may have caused this call
    }
    m_rows = new QWidget(this);
    auto* const column = new QVBoxLayout(m_rows);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    Findings findings = draft().findings();
    std::ranges::stable_sort(findings, std::ranges::greater(), &Finding::severity);
    if (!draft().plan() && !isPlanErrorFound(draft())) {
        auto* const reason = new QLabel(QString::fromStdString(draft().plan().error().message), m_rows);
        reason->setWordWrap(true);
        reason->setProperty("tone", "bad");
        column->addWidget(reason);
    }
    for (size_t i = 0; i < std::min(findings.size(), kMaxFindings); ++i) {
        auto* const rule = new QFrame(m_rows);
        rule->setProperty("rule", true);
        if (i > 0) column->addWidget(rule);
        column->addWidget(makeRow(findings[i]));
    }
    lines()->addWidget(m_rows);
    const auto count = static_cast<qsizetype>(findings.size());
    if (findings.size() > kMaxFindings) {
        setRemark(tr("first %1 of %2").arg(kMaxFindings).arg(count));
    } else {
        setRemark(findings.empty() && draft().plan() ? tr("no problems found") : tr("before the launch"));
    }
}

} // namespace lockstep
