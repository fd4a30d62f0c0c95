// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QMenu>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/session/preview_sections.h"
#include "ui/session/session_draft.h"
#include "ui/session/shell_highlighter.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

PlanSection::PlanSection(SessionDraft& draft, QWidget* parent)
    : SessionSection(draft, tr("Plan"), parent), m_hosts(new QTabBar(this)), m_text(new QPlainTextEdit(this)),
      m_dryRun(new QToolButton(this)), m_copy(new QToolButton(this)),
      m_colors(new ShellHighlighter(m_text->document()))
{
    setObjectName("plan");
    auto* const line = new QHBoxLayout;
    m_hosts->setExpanding(false);
    m_hosts->setDrawBase(false);
    m_hosts->setUsesScrollButtons(true);
    m_hosts->setAccessibleName(tr("Hosts in the plan"));
    m_copy->setObjectName("copyPlan");
    m_copy->setText(tr("Copy plan"));
    m_copy->setToolTip(tr("Copy the plan for all hosts; the menu copies the plan for one host"));
    m_copy->setPopupMode(QToolButton::MenuButtonPopup);
    m_copy->setMenu(new QMenu(m_copy));
    line->addWidget(m_hosts, 1);
    m_dryRun->setObjectName("dryRun");
    m_dryRun->setText(tr("Dry run…"));
    m_dryRun->setToolTip(tr(
        "Run the script on its hosts without the training, to see the exact command and the expected reports"));
    connect(m_dryRun, &QToolButton::clicked, this, &PlanSection::dryRunRequested);
    line->addWidget(m_dryRun);
    line->addWidget(m_copy);
    lines()->addLayout(line);
    m_text->setReadOnly(true);
    m_text->setTabChangesFocus(true);
    m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_text->setAccessibleName(tr("Plan"));
    m_text->setMinimumHeight(scaledPixels(260));
    lines()->addWidget(m_text, 1);
    connect(m_copy, &QToolButton::clicked, this, &PlanSection::copyAll);
    connect(m_copy->menu(), &QMenu::aboutToShow, this, &PlanSection::fillCopyMenu);
    connect(m_hosts, &QTabBar::currentChanged, this, &PlanSection::showHost);
    connect(&draft, &SessionDraft::changed, this, &PlanSection::refresh);
    refresh();
}

void PlanSection::setTheme(const Theme& theme)
{
    m_text->setFont(codeFont());
    m_colors->setTheme(theme);
}

QString PlanSection::shownText() const
{
    return m_text->toPlainText();
}

void PlanSection::copyAll()
{
    const Result<LaunchPlan>& plan = draft().plan();
    if (plan) copy(planText(*plan), tr("%n host(s)", nullptr, static_cast<int>(plan->hosts.size())));
}

void PlanSection::copy(const std::string& text, const QString& what)
{
    QGuiApplication::clipboard()->setText(QString::fromStdString(text));
    const auto count = static_cast<int>(std::ranges::count(text, '\n'));
    setRemark(tr("Copied the plan for %1 (%n line(s))", nullptr, count).arg(what));
}

void PlanSection::fillCopyMenu()
{
    QMenu& menu = *m_copy->menu();
    menu.clear();
    const Result<LaunchPlan>& plan = draft().plan();
    if (!plan) return;
    menu.addAction(tr("Plan for all hosts"), this, &PlanSection::copyAll);
    menu.addSeparator();
    for (const HostPlan& host : plan->hosts) {
        QString name = QString::fromStdString(host.host);
        menu.addAction(tr("Plan for %1").arg(name.replace('&', "&&")), this,
                       [this, host] { copy(planText(host), QString::fromStdString(host.host)); });
    }
}

void PlanSection::refresh()
{
    setRemark(tr("commands per host")); // replaces the confirmation, which describes an earlier plan
    m_copy->setEnabled(draft().plan().has_value());
    m_dryRun->setVisible(usesShims(draft().config()));
    m_dryRun->setEnabled(draft().plan().has_value());
    QStringList names;
    if (draft().plan()) {
        for (const HostPlan& host : draft().plan()->hosts)
            names << QString::fromStdString(host.host);
    }
    {
        const QSignalBlocker blocker(m_hosts);
        while (m_hosts->count() > names.size())
            m_hosts->removeTab(m_hosts->count() - 1);
        for (int i = 0; i < names.size(); ++i) {
            if (i >= m_hosts->count()) m_hosts->addTab({});
            m_hosts->setTabText(i, names[i]);
        }
    }
    showHost();
}

void PlanSection::showHost()
{
    const Result<LaunchPlan>& plan = draft().plan();
    const auto at = static_cast<size_t>(std::max(0, m_hosts->currentIndex()));
    std::string text;
    if (!plan) {
        text = isPlanErrorFound(draft()) ? "# no plan yet: Session checks lists what is missing\n"
                                         : "# no plan yet\n# " + plan.error().message + "\n";
    } else if (at < plan->hosts.size()) {
        text = planText(plan->hosts[at]) + launchText(*plan, plan->hosts[at].host);
    }
    const QString shown = QString::fromStdString(text);
    if (shown == m_text->toPlainText()) return;
    const int scrolled = m_text->verticalScrollBar()->value();
    m_text->setPlainText(shown);
    m_text->verticalScrollBar()->setValue(scrolled);
}

} // namespace lockstep
