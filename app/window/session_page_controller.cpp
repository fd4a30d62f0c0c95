// SPDX-License-Identifier: Apache-2.0
#include "app/window/session_page_controller.h"

#include <algorithm>

#include <QMenu>

#include "app/window/app_log.h"
#include "app/window/open_controller.h"
#include "app/window/save_question.h"
#include "core/readers/reader.h"
#include "ui/session/session_page.h"

namespace lockstep {

SessionPageController::SessionPageController(const WindowParts& parts)
    : m_window(parts.window), m_page(new SessionPage(&parts.window))
{
    connect(m_page, &SessionPage::helpRequested, this, &Page::helpRequested);
    const auto on = [&](CommandId id, auto&& run) {
        connect(parts.actions.at(id), &QAction::triggered, this, [this, run] {
            emit frontRequested();
            run();
        });
    };
    on(CommandId::showSession, [] {});
    on(CommandId::openSession, [this] { m_page->promptToOpen(); });
    on(CommandId::saveSession, [this] { m_page->save(); });
    on(CommandId::saveSessionAs, [this] { m_page->promptToSave(); });
    on(CommandId::importScript, [this] { m_page->promptToImport(SessionPage::ImportSource::script); });
    on(CommandId::importConfiguration,
       [this] { m_page->promptToImport(SessionPage::ImportSource::configuration); });
    on(CommandId::importOverrides, [this] { m_page->promptToImport(SessionPage::ImportSource::overrides); });
    on(CommandId::loadFacts, [this] { m_page->promptForFacts(); });
    QMenu* const menu = parts.actions.menu("Session");
    auto* const templates = new QMenu(tr("New"), menu);
    m_page->fillTemplateMenu(*templates);
    menu->insertMenu(parts.actions.at(CommandId::openSession), templates);
    connect(templates, &QMenu::triggered, this, &Page::frontRequested);
    connect(&parts.opening, &OpenController::sessionRequested, this,
            [this](const std::filesystem::path& path) {
                emit frontRequested();
                m_page->openOrImport(path);
            });
    connect(
        m_page, &SessionPage::fileUsed, this,
        [&recent = parts.opening.recent()](const std::filesystem::path& path) { recent.addReports({path}); });
}

QWidget* SessionPageController::widget() const
{
    return m_page;
}

void SessionPageController::onActivated()
{
    m_page->setFocus();
}

// A file without the suffix of a report may be a launch script.
bool SessionPageController::openDropped(const std::filesystem::path& path)
{
    const std::string name = path.filename().string();
    const bool isReport =
        std::ranges::any_of(knownSuffixes(), [&](std::string_view suffix) { return name.ends_with(suffix); });
    std::error_code error;
    if (isReport || !std::filesystem::is_regular_file(path, error)) return false;
    m_page->openOrImport(path);
    return true;
}

QUndoStack* SessionPageController::undoStack()
{
    return &m_page->draft().undoStack();
}

void SessionPageController::setTheme(const Theme& theme)
{
    m_page->setTheme(theme);
}

TextPairs SessionPageController::secrets() const
{
    return knownSecrets(m_page->draft().config());
}

bool SessionPageController::isBusy() const
{
    return m_page->isBusy();
}

bool SessionPageController::isModified() const
{
    return m_page->draft().isModified();
}

void SessionPageController::confirmClose(const std::function<void()>& leave)
{
    promptToSave(
        m_window, tr("Save changes to the session?"), tr("Quit without saving"),
        [this, leave] {
            emit frontRequested();
            m_page->save(leave);
        },
        leave);
}

} // namespace lockstep
