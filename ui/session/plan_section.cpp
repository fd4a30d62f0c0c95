// SPDX-License-Identifier: Apache-2.0
#include <QClipboard>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QTabBar>
#include <QVBoxLayout>

#include "ui/session/preview_sections.h"
#include "ui/session/session_draft.h"
#include "ui/session/shell_highlighter.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

std::string hostText(const HostPlan& host)
{
    std::string out = "# " + host.host;
    if (!host.address.empty() && host.address != host.host) out += " (" + host.address + ")";
    out += "\n";
    if (const std::string library = libraryText(host); !library.empty()) out += "\n" + library;
    for (const PlannedFile& file : host.files) {
        out += "\n# writes " + file.path + "\n" + file.content;
        if (!out.ends_with('\n')) out += "\n";
    }
    for (const PlannedCommand& command : host.commands)
        out += "\n# " + std::to_string(command.order) + ". " + command.purpose + "\n" +
               shellText(host, command) + "\n";
    if (host.commands.empty()) out += "\n# no commands on this host\n";
    return out;
}

} // namespace

PlanSection::PlanSection(SessionDraft& draft, QWidget* parent)
    : SessionSection(draft, tr("Plan"), parent), m_hosts(new QTabBar(this)), m_text(new QPlainTextEdit(this)),
      m_colors(new ShellHighlighter(m_text->document()))
{
    setObjectName("plan");
    setRemark(tr("commands per host"));
    auto* const line = new QHBoxLayout;
    m_hosts->setExpanding(false);
    m_hosts->setDrawBase(false);
    m_hosts->setUsesScrollButtons(true);
    m_hosts->setAccessibleName(tr("Hosts in the plan"));
    auto* const copy = new QPushButton(tr("Copy"), this);
    copy->setToolTip(tr("Copy the plan for this host"));
    line->addWidget(m_hosts, 1);
    line->addWidget(copy);
    lines()->addLayout(line);
    m_text->setReadOnly(true);
    m_text->setTabChangesFocus(true);
    m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_text->setProperty("code", true);
    m_text->setAccessibleName(tr("Plan"));
    m_text->setMinimumHeight(scaledPixels(260));
    lines()->addWidget(m_text, 1);
    connect(copy, &QPushButton::clicked, this,
            [this] { QGuiApplication::clipboard()->setText(m_text->toPlainText()); });
    connect(m_hosts, &QTabBar::currentChanged, this, &PlanSection::showHost);
    connect(&draft, &SessionDraft::changed, this, &PlanSection::refresh);
    refresh();
}

void PlanSection::setTheme(const Theme& theme)
{
    QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    font.setPixelSize(scaledPixels(12));
    disableLigatures(font);
    m_text->setFont(font);
    m_colors->setTheme(theme);
}

QString PlanSection::shownText() const
{
    return m_text->toPlainText();
}

void PlanSection::refresh()
{
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
        text = draft().isPlanErrorFound() ? "# no plan yet: Session checks lists what is missing\n"
                                          : "# no plan yet\n# " + plan.error().message + "\n";
    } else if (at < plan->hosts.size()) {
        text = hostText(plan->hosts[at]);
    }
    const QString shown = QString::fromStdString(text);
    if (shown == m_text->toPlainText()) return;
    const int scrolled = m_text->verticalScrollBar()->value();
    m_text->setPlainText(shown);
    m_text->verticalScrollBar()->setValue(scrolled);
}

} // namespace lockstep
