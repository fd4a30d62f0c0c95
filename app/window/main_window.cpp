// SPDX-License-Identifier: Apache-2.0
#include "app/window/main_window.h"

#include <algorithm>

#include <QCloseEvent>
#include <QGuiApplication>
#include <QMenuBar>
#include <QMessageBox>
#include <QTimer>
#include <QToolBar>
#include <QVBoxLayout>

#include "app/window/command_palette.h"
#include "app/window/demo_controller.h"
#include "app/window/focus_ring.h"
#include "app/window/go_to_controller.h"
#include "app/window/help_controller.h"
#include "app/window/live_controller.h"
#include "app/window/page_registry.h"
#include "app/window/page_stack.h"
#include "app/window/panel_registry.h"
#include "app/window/run_navigator.h"
#include "app/window/save_log.h"
#include "app/window/status_line.h"
#include "app/window/tab_stop.h"
#include "app/window/timeline_page_controller.h"
#include "app/window/tour_controller.h"
#include "ui/panels/drop_overlay.h"
#include "ui/panels/notice_bar.h"
#include "ui/panels/top_strip.h"
#include "ui/style/style_sheet.h"
#include "ui/window/panel.h"
#include "ui/window/plain_tool_tips.h"

namespace lockstep {

MainWindow::MainWindow(Settings& settings, bool systemIsDark, const Workers& workers, MemoryBudget& memory,
                       RunController::MakeOptions runOptions)
    : m_settings(settings), m_look(settings, systemIsDark), m_actions(this), m_keys(settings, *this),
      m_document(this), m_reports(m_document, workers, memory, this), m_view(this), m_notices(this),
      m_marks(m_document, this), m_notice(new NoticeBar), m_strip(new TopStrip(this)),
      m_status(new StatusLine(m_reports, m_view, workers)), m_drop(new DropOverlay(this)),
      m_opening(*this, settings, m_actions, *m_notice, m_reports), m_docks(*this),
      m_pages(new PageStack(m_actions, *m_strip, m_docks, *m_status)),
      m_parts{*this,     settings,  m_look,   m_actions, m_keys,     *m_notice,
              *m_strip,  m_reports, m_view,   m_notices, m_document, m_marks,
              m_opening, m_docks,   *m_pages, workers,   memory,     std::move(runOptions)}
{
    new PlainToolTips(this);
    arrangeParts();
    addPanels(m_docks, m_parts);
    addPages(*m_pages, m_parts);
    m_actions.at(CommandId::recoverUnsaved)->setEnabled(false); // see enableRecovery()
    m_save = std::make_unique<SaveController>(m_parts);
    m_help = new HelpController(m_parts);
    makeMenus();
    connectActions();
    applyKeys();
    connect(&m_reports, &WorkspaceController::sceneChanged, this, &MainWindow::showScene);
    connect(&m_reports, &WorkspaceController::failed, this, [this](const QString& reason, HelpTopic help) {
        m_notice->showNotice(NoticeBar::Tone::bad, tr("Couldn't update the timeline: %1").arg(reason), {},
                             help);
    });
    connect(&m_docks, &PanelDocks::summaryChanged, m_status, &StatusLine::setSummary);
    connect(&m_notices, &Notices::posted, m_status, [this](const QString& text) {
        constexpr int kShown_ms = 6000;
        m_status->showMessage(text, kShown_ms);
    });
    connect(m_drop, &DropOverlay::dropped, this, [this](std::vector<std::filesystem::path> paths) {
        std::erase_if(paths, [this](const auto& path) { return m_parts.pages.current().openDropped(path); });
        m_opening.open(paths);
    });
    connect(&m_look, &Look::themeChanged, this, &MainWindow::showTheme);
    settings.bind("window/geometry", this, [this] {
        resizeWithinScreen(*this, kNewWindow);
        m_docks.forget();
    });
    // Created after the pages, so that it receives each scene after them.
    m_live = std::make_unique<LiveController>(m_parts, *m_save);
    connect(m_save.get(), &SaveController::allClosing, m_live.get(), &LiveController::close);
    connect(m_live.get(), &LiveController::collected, &m_pages->at<RunPageController>(),
            &RunPageController::showEnd);
    m_navigator = std::make_unique<RunNavigator>(m_parts);
    m_demo = std::make_unique<DemoController>(m_parts, *m_live);
    m_tour = new TourController(m_parts, *m_demo);
    showTheme(m_look.theme());
    showScene();
    reportDefects();
    restoreLayout();
    m_pages->currentWidget()->setFocus(); // the shortcuts are for the page, not for the search field
}

// Destroys the pages before the objects they borrow.
MainWindow::~MainWindow()
{
    m_recovery.reset();
    m_save.reset();
    m_navigator.reset();
    m_live.reset();
    delete m_pages;
    delete m_tour;                       // deleted before the demo, because the tour uses it
    m_demo.reset();                      // the destructor removes the folders of the demo's hosts
    m_document.undoStack().disconnect(); // it emits signals when it is destroyed
}

// Shows the problems in the settings file. If there are none, shows what's new.
void MainWindow::reportDefects()
{
    QStringList defects = m_settings.defects();
    const HelpTopic help = defects.isEmpty() ? KeyController::kDefectHelp : Settings::kDefectHelp;
    if (const QString ofKeys = m_keys.defects(); !ofKeys.isEmpty()) defects << ofKeys;
    if (defects.isEmpty()) return m_help->showNews();
    m_notice->showNotice(NoticeBar::Tone::warn, defects.join(". "), {}, help);
}

void MainWindow::arrangeParts()
{
    setStatusBar(m_status);
    auto* const center = new QWidget(this);
    auto* const column = new QVBoxLayout(center);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_pages, 1);
    column->addWidget(m_notice); // at the bottom, so that it moves neither a form nor lanes
    setCentralWidget(center);
    auto* const bar = new QToolBar(tr("Pages and search"), this);
    bar->setObjectName("strip");
    bar->setMovable(false);
    bar->setFloatable(false);
    bar->setContextMenuPolicy(Qt::PreventContextMenu);
    bar->toggleViewAction()->setVisible(false);
    bar->addWidget(m_strip);
    addToolBar(Qt::TopToolBarArea, bar);
}

bool MainWindow::isSettled() const
{
    const auto isBusy = [](const auto& part) { return part->isBusy(); };
    return m_goTo.isEmpty() && !m_reports.isBusy() && !m_status->isBusy() && !m_demo->isBusy() &&
           !m_save->saved().isSaving() && (m_recovery == nullptr || !m_recovery->isBusy()) &&
           std::ranges::none_of(m_pages->all(), isBusy) && std::ranges::none_of(m_docks.panels(), isBusy);
}

QString MainWindow::runningJobs() const
{
    QStringList jobs;
    const size_t loading = m_reports.reports().count(ReportState::loading);
    if (loading > 0) jobs << QString("opening %1 files").arg(loading);
    if (loading == 0 && m_reports.isBusy()) jobs << "alignment and scene";
    if (m_save->saved().isSaving()) jobs << "saving " + m_save->saved().name();
    if (m_demo->isBusy()) jobs << "demo";
    for (const auto& page : m_pages->all()) {
        if (page->isBusy()) jobs << page->tab().title;
    }
    for (const Panel* const panel : m_docks.panels()) {
        if (panel->isBusy()) jobs << panel->title();
    }
    return jobs.join(", ");
}

void MainWindow::enableRecovery(const RecoveryController::Folders& folders)
{
    m_recovery = std::make_unique<RecoveryController>(m_parts, *m_save, folders);
}

void MainWindow::end()
{
    if (m_recovery != nullptr) m_recovery->end();
}

void MainWindow::goToOnceOpen(const QString& place)
{
    m_goTo = place;
    auto* const watch = new QTimer(this);
    watch->setInterval(50);
    connect(watch, &QTimer::timeout, this, [this, watch] {
        const QString goTo = std::exchange(m_goTo, {});
        if (isSettled()) {
            watch->deleteLater();
            m_pages->at<TimelinePageController>().goTo().goTo(goTo);
        } else {
            m_goTo = goTo;
        }
    });
    watch->start();
}

void MainWindow::makeMenus()
{
    for (QMenu* const menu : m_actions.menus())
        menuBar()->addMenu(menu);
    QMenu* const view = m_actions.menu("View");
    m_look.fillMenu(*view->addMenu(tr("Theme")));
    m_docks.fillMenu(*view->addMenu(tr("Panels")));
    m_palette = new CommandPalette(m_parts, this);
}

void MainWindow::connectActions()
{
    const auto on = [this](CommandId id, auto&& run) {
        connect(m_actions.at(id), &QAction::triggered, this, run);
    };
    m_look.connectActions(m_actions);
    on(CommandId::quit, [this] { close(); });
    on(CommandId::fullScreen, [this] { setWindowState(windowState() ^ Qt::WindowFullScreen); });
    on(CommandId::nextPanel, [this] { focusPanel(true); });
    on(CommandId::previousPanel, [this] { focusPanel(false); });
    on(CommandId::runCommand, [this] {
        m_palette->offer();
        m_strip->startSearch(">");
    });
    on(CommandId::shortcuts, [this] { m_keys.showSheet(); });
    connect(&m_keys, &KeyController::keysChanged, this, &MainWindow::applyKeys);
    auto* const log = new SaveLog(*this, m_settings, *m_notice, [this] {
        TextPairs secrets;
        for (const auto& page : m_pages->all()) {
            const TextPairs known = page->secrets();
            secrets.insert(secrets.end(), known.begin(), known.end());
        }
        return secrets;
    });
    on(CommandId::saveLog, [log] { log->promptAndSave(); });
    on(CommandId::about, [this] { showAbout(); });
    connect(m_strip, &TopStrip::commandRequested, m_palette, &CommandPalette::run);
}

void MainWindow::applyKeys()
{
    const KeyMap& keys = m_keys.keys();
    m_actions.setKeys(keys);
    m_palette->offer();
    m_strip->setSearchKey(keys.shownKey("find"));
    for (const auto& page : m_pages->all())
        page->setKeys(keys);
}

void MainWindow::showAbout()
{
    auto* const box =
        new QMessageBox(QMessageBox::NoIcon, tr("About Lockstep"),
                        tr("Lockstep %1\n\nProfiles of distributed GPU training: many ranks on one time "
                           "axis.\nThe source code is licensed under Apache-2.0. This program links Qt "
                           "Charts and is therefore distributed under GPL-3.0.")
                            .arg(LOCKSTEP_VERSION),
                        QMessageBox::Close, this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
}

void MainWindow::showScene()
{
    const ScenePtr& scene = m_reports.scene();
    m_marks.setScene(scene);
    for (const auto& page : m_pages->all())
        page->setScene(scene);
    for (Panel* const panel : m_docks.panels())
        panel->setScene(scene);
}

void MainWindow::showTheme(const Theme& theme)
{
    for (const auto& page : m_pages->all())
        page->setTheme(theme);
    for (Panel* const panel : m_docks.panels())
        panel->setTheme(theme);
    m_status->setTheme(theme);
    m_drop->setTheme(theme);
}

void MainWindow::restoreLayout()
{
    // Qt refuses a geometry from a screen of a very different width.
    const QByteArray geometry = m_settings.value("window/geometry").toByteArray();
    if (geometry.isEmpty() || !restoreGeometry(geometry)) {
        if (!resizeWithinScreen(*this, kNewWindow)) setWindowState(Qt::WindowMaximized);
    } else {
        keepOnScreen();
    }
    m_docks.arrange();
    m_docks.restore(m_settings.value("window/layout").toByteArray());
}

// The screen may have become smaller since the geometry was saved.
void MainWindow::keepOnScreen()
{
    if (isMaximized() || isFullScreen() || QGuiApplication::platformName() == "offscreen") return;
    const QRect place = placeWithin(screen()->availableGeometry(), geometry());
    if (place != geometry()) setGeometry(place);
}

// Returns true if the window may close now. Otherwise asks about unsaved sessions and workspaces; the answers
// may close the window later.
bool MainWindow::mayClose()
{
    if (m_isLeaving) return true;
    const auto leave = [this] {
        m_isLeaving = true;
        close();
    };
    std::function<void()> next = [this, leave] { m_save->confirmClose(leave); };
    bool isModified = m_save->isModified();
    for (const auto& page : m_pages->all()) { // each page continues with those before it
        if (!page->isModified()) continue;
        isModified = true;
        next = [page = page.get(), next] { page->confirmClose(next); };
    }
    if (!isModified) return true;
    next();
    return false;
}

bool MainWindow::focusNextPrevChild(bool isNext)
{
    QWidget* const next = nextTabStop(*this, focusWidget(), isNext);
    if (next == nullptr) return false;
    focusByKey(*next, isNext ? Qt::TabFocusReason : Qt::BacktabFocusReason);
    return true;
}

void MainWindow::focusByKey(QWidget& stop, Qt::FocusReason reason)
{
    stop.setFocus(reason);
    if (m_ring == nullptr) m_ring = new FocusRing(*this);
    if (stop.hasFocus()) m_ring->follow(stop);
}

void MainWindow::focusPanel(bool isNext)
{
    std::vector<QWidget*> places{m_pages->currentWidget()};
    for (Panel* const panel : m_docks.panels()) {
        if (!panel->visibleRegion().isEmpty() && panel->window() == this) places.push_back(panel);
    }
    const auto hasFocus = [focus = focusWidget()](const QWidget* place) {
        return focus != nullptr && (place == focus || place->isAncestorOf(focus));
    };
    const auto now = static_cast<size_t>(std::ranges::find_if(places, hasFocus) - places.begin());
    const size_t last = places.size() - 1;
    const size_t next = now > last ? 0 : isNext ? (now == last ? 0 : now + 1) : (now == 0 ? last : now - 1);
    if (next == 0) return places[0]->setFocus(Qt::ShortcutFocusReason);
    QWidget* const first = nextTabStop(*this, places[next], true);
    const bool isInside = first != nullptr && places[next]->isAncestorOf(first);
    focusByKey(isInside ? *first : *places[next], Qt::TabFocusReason);
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    if (!mayClose()) return event->ignore();
    m_pages->goHome(); // the dock layout of the default page is the one to save
    m_settings.remember("window/geometry", saveGeometry());
    m_settings.remember("window/layout", m_docks.layout());
    QMainWindow::closeEvent(event);
}

} // namespace lockstep
