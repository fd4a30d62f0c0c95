// SPDX-License-Identifier: Apache-2.0
#include "app/window/help_controller.h"

#include <QVersionNumber>

#include "app/window/command_actions.h"
#include "app/window/key_controller.h"
#include "app/window/page_stack.h"
#include "app/window/panel_docks.h"
#include "app/window/settings.h"
#include "ui/panels/notice_bar.h"
#include "ui/window/panel.h"

namespace lockstep {

HelpController::HelpController(const WindowParts& parts) : QObject(&parts.window), m_parts(parts)
{
    connect(parts.actions.at(CommandId::help), &QAction::triggered, this, [this] { open("index"); });
    connect(parts.actions.at(CommandId::helpHere), &QAction::triggered, this,
            &HelpController::openContextHelp);
    connect(parts.actions.at(CommandId::whatsNew), &QAction::triggered, this, [this] { open("whats_new"); });
    connect(&parts.notice, &NoticeBar::helpRequested, this, &HelpController::open);
    for (const auto& page : parts.pages.all())
        connect(page.get(), &Page::helpRequested, this, &HelpController::open);
    for (Panel* const panel : parts.docks.panels())
        connect(panel, &Panel::helpRequested, this, &HelpController::open);
}

void HelpController::open(const QString& place)
{
    if (m_window == nullptr) {
        m_window = new HelpWindow(m_parts.keys.keys(), &m_parts.window);
        connect(&m_parts.keys, &KeyController::keysChanged, m_window, &HelpWindow::setKeys);
    }
    m_window->open(place);
    m_window->raise();
    m_window->activateWindow();
}

void HelpController::openContextHelp()
{
    const Panel* const panel = m_parts.docks.inFocus();
    open(panel != nullptr ? panel->helpPage() : m_parts.pages.current().helpPage());
}

void HelpController::showNews()
{
    Settings& settings = m_parts.settings;
    const QString program = LOCKSTEP_VERSION;
    const auto lastSeen = QVersionNumber::fromString(settings.value("news/version").toString());
    if (lastSeen >= QVersionNumber::fromString(program)) return;
    if (!settings.isNew())
        m_parts.notice.showNotice(
            NoticeBar::Tone::quiet, tr("Updated to Lockstep %1.").arg(program),
            {{tr("What's new"), [this] { open("whats_new"); }}, {tr("Dismiss"), [] {}}});
    settings.set("news/version", program);
}

} // namespace lockstep
