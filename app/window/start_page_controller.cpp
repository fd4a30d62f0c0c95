// SPDX-License-Identifier: Apache-2.0
#include "app/window/start_page_controller.h"

#include <algorithm>

#include "app/window/command_actions.h"
#include "app/window/open_controller.h"
#include "app/window/page_stack.h"
#include "app/window/session_page_controller.h"
#include "ui/panels/start_page.h"
#include "ui/session/session_page.h"

namespace lockstep {

StartPageController::StartPageController(const WindowParts& parts)
    : ReportsPage(parts.document.undoStack()), m_parts(parts), m_page(new StartPage(&parts.window))
{
    OpenController& opening = parts.opening;
    connect(m_page, &StartPage::openFilesRequested, &opening, &OpenController::promptForFiles);
    connect(m_page, &StartPage::openFolderRequested, &opening, &OpenController::promptForFolder);
    connect(m_page, &StartPage::sessionRequested, parts.actions.at(CommandId::showSession),
            &QAction::trigger);
    connect(m_page, &StartPage::demoRequested, parts.actions.at(CommandId::openDemo), &QAction::trigger);
    m_page->setTemplates(SessionPage::templates());
    connect(m_page, &StartPage::templateRequested, this, [&pages = parts.pages](const QString& name) {
        auto& session = pages.at<SessionPageController>();
        pages.bringToFront(session);
        session.page().startFromTemplate(name);
    });
    connect(m_page, &StartPage::helpRequested, this, &Page::helpRequested);
    connect(m_page, &StartPage::recentRequested, &opening,
            [&opening](const std::filesystem::path& path) { opening.open({path}); });
    connect(&opening, &OpenController::reportsRequested, m_page, [this] { m_page->setMessage({}); });
    connect(&opening.recent(), &RecentPaths::changed, this, &StartPageController::showRecent);
    // If all reports failed to open, show the error in the center of the window as well.
    const ReportList& list = parts.reports.reports();
    connect(&list, &ReportList::changed, this, [this, &list] {
        const auto failed = std::ranges::find(list.entries(), ReportState::failed, &ReportEntry::state);
        const bool isOnlyFailed = !list.hasOpen() && failed != list.entries().end();
        if (isOnlyFailed) {
            m_page->setMessage(QString::fromStdString(failed->error.message), failed->error.help);
        } else {
            m_page->setMessage({});
        }
    });
    showRecent();
}

QWidget* StartPageController::widget() const
{
    return m_page;
}

bool StartPageController::isBusy() const
{
    return m_parts.opening.isBusy();
}

void StartPageController::showRecent()
{
    RecentPaths& recent = m_parts.opening.recent();
    m_page->setRecent(recent.workspaces(), recent.reports(), recent.missing());
}

} // namespace lockstep
