// MainWindow: menus and commands, and the traffic between timeline, search and panels.
#include <QActionGroup>
#include <QApplication>
#include <QDockWidget>
#include <QMenuBar>
#include <QMessageBox>

#include "app/app_log.h"
#include "app/main_window.h"
#include "app/save_log.h"
#include "app/status_line.h"
#include "ui/panels/details_panel.h"
#include "ui/panels/kernel_panel.h"
#include "ui/panels/notes_panel.h"
#include "ui/panels/reports_panel.h"
#include "ui/panels/shortcut_sheet.h"
#include "ui/panels/top_strip.h"
#include "ui/run/run_page.h"
#include "ui/session/session_page.h"
#include "ui/timeline/timeline_view.h"

namespace lockstep {

void MainWindow::makeMenus()
{
    for (const char* name : {"File", "Edit", "View", "Session", "Run", "Analyse", "Help"}) {
        QMenu* const menu = menuBar()->addMenu(QString("&") + name);
        menu->setToolTipsVisible(true);
        m_actions->fill(*menu, name);
        if (menu->title() == "&File") {
            m_recentMenu = new QMenu("Recent", menu);
            menu->insertMenu(m_actions->at(ActionId::openDemo), m_recentMenu);
            connect(m_recentMenu, &QMenu::aboutToShow, this, &MainWindow::fillRecentMenu);
        }
        if (menu->title() == "&Session") {
            auto* const templates = new QMenu("New", menu);
            m_session->fillTemplateMenu(*templates);
            menu->insertMenu(m_actions->at(ActionId::openSession), templates);
            connect(templates, &QMenu::triggered, this, &MainWindow::showSessionPage);
        }
        if (menu->title() == "&View") {
            makeThemeMenu(*menu);
            makePanelMenu(*menu);
        }
    }
    QStringList commands;
    for (const auto& [id, action] : m_actions->all())
        commands << action->text().section('\t', 0, 0);
    commands.sort();
    m_strip->setCommands(commands);
}

void MainWindow::makeThemeMenu(QMenu& view)
{
    QMenu* const menu = view.addMenu("Theme");
    auto* const group = new QActionGroup(menu);
    const QStringList names{"Like the desktop", "Light", "Dark"};
    for (int i = 0; i < 3; ++i) {
        const auto choice = static_cast<ThemeChoice>(i);
        QAction* const action = menu->addAction(names[i], this, [this, choice] {
            m_settings.setThemeChoice(choice);
            setThemeChoice(choice);
        });
        action->setCheckable(true);
        action->setChecked(choice == m_themeChoice);
        group->addAction(action);
    }
}

void MainWindow::makePanelMenu(QMenu& view)
{
    QMenu* const menu = view.addMenu("Panels");
    menu->addAction(m_reportsDock->toggleViewAction());
    for (QDockWidget* dock : m_bottomDocks)
        menu->addAction(dock->toggleViewAction());
    menu->addSeparator();
    std::vector<QDockWidget*> docks = m_bottomDocks;
    docks.insert(docks.begin(), m_reportsDock);
    for (QDockWidget* dock : docks) {
        QAction* const action = menu->addAction("Float " + dock->windowTitle());
        action->setCheckable(true);
        connect(action, &QAction::triggered, dock, [dock](bool isFloating) {
            dock->setFloating(isFloating);
            dock->show();
        });
        connect(dock, &QDockWidget::topLevelChanged, action, &QAction::setChecked);
    }
}

void MainWindow::connectActions()
{
    const auto on = [this](ActionId id, auto&& run) {
        connect(m_actions->at(id), &QAction::triggered, this, run);
    };
    on(ActionId::openFiles, [this] { askForFiles(); });
    on(ActionId::openFolder, [this] { askForFolder(); });
    on(ActionId::openDemo, [this] { openDemo(); });
    on(ActionId::cancelLoading, [this] { m_controller.cancelAll(); });
    on(ActionId::closeAll, [this] { settleWorkspace("Close", [this] { closeAll(); }); });
    on(ActionId::quit, [this] { close(); });
    on(ActionId::find, [this] { m_strip->startSearch({}); });
    on(ActionId::findLane, [this] { m_strip->startSearch("lane:"); });
    on(ActionId::runCommand, [this] { m_strip->startSearch(">"); });
    on(ActionId::findNext, [this] { goTo(m_search.step(m_timeline->selectedSlice(), true)); });
    on(ActionId::findPrevious, [this] { goTo(m_search.step(m_timeline->selectedSlice(), false)); });
    on(ActionId::fitSelection, [this] { m_timeline->fitSelection(); });
    on(ActionId::fitAll, [this] { m_timeline->fitAll(); });
    on(ActionId::showReports, [this] { m_reportsDock->setVisible(m_reportsDock->isHidden()); });
    on(ActionId::foldPanels, [this] { foldPanels(); });
    on(ActionId::textLarger, [this] { setFontScale(m_settings.fontScale() + 0.1); });
    on(ActionId::textSmaller, [this] { setFontScale(m_settings.fontScale() - 0.1); });
    on(ActionId::textReset, [this] { setFontScale(1); });
    on(ActionId::fullScreen, [this] { setWindowState(windowState() ^ Qt::WindowFullScreen); });
    const auto kernels = [this, on](ActionId id, KernelPanel::RangeChoice choice) {
        on(id, [this, choice] {
            m_kernels->setRangeChoice(choice);
            raiseDock(m_kernels);
        });
    };
    kernels(ActionId::kernelsVisible, KernelPanel::RangeChoice::visible);
    kernels(ActionId::kernelsSelected, KernelPanel::RangeChoice::selected);
    kernels(ActionId::kernelsWhole, KernelPanel::RangeChoice::whole);
    on(ActionId::showDetails, [this] { raiseDock(m_details); });
    on(ActionId::showNotes, [this] { raiseDock(m_notes); });
    on(ActionId::shortcuts, [this] { showShortcutSheet(this, keyLines()); });
    on(ActionId::saveLog, [this] {
        askToSaveLog(this, m_settings, *m_notice, [this] {
            TextPairs known = knownSecrets(m_session->draft().config());
            known.insert(known.end(), m_runs->givenSecrets().begin(), m_runs->givenSecrets().end());
            return known;
        });
    });
    on(ActionId::about, [this] {
        auto* const box =
            new QMessageBox(QMessageBox::NoIcon, "About Lockstep",
                            "Lockstep " LOCKSTEP_VERSION "\n\nProfiles of distributed GPU training, many "
                            "ranks on one time axis.\nSources: Apache-2.0. This program links Qt Charts "
                            "and is distributed under GPL-3.0.",
                            QMessageBox::Close, this);
        box->setAttribute(Qt::WA_DeleteOnClose);
        box->open();
    });
}

void MainWindow::connectTimeline()
{
    m_viewRest.setSingleShot(true);
    m_viewRest.setInterval(250);
    connect(&m_viewRest, &QTimer::timeout, this, &MainWindow::settleView);
    m_hoverRest.setSingleShot(true);
    m_hoverRest.setInterval(150);
    connect(&m_hoverRest, &QTimer::timeout, this, &MainWindow::fetchHoverText);
    connect(m_timeline, &TimelineView::visibleRangeChanged, this, [this](TimeRange range) {
        m_kernels->setVisibleRange(range);
        m_viewRest.start();
    });
    connect(m_timeline, &TimelineView::hoverTimeChanged, m_status, &StatusLine::setHover);
    connect(m_timeline, &TimelineView::rangeSelected, this, [this](std::optional<TimeRange> range) {
        m_kernels->setSelectedRange(range);
        m_status->setSelection(range, m_timeline->measureText());
    });
    connect(m_timeline, &TimelineView::sliceSelected, this, [this](SliceRef slice) {
        m_details->setSlice(slice);
        if (slice.isValid() && !m_bottomDocks[0]->isHidden()) m_bottomDocks[0]->raise();
    });
    connect(m_timeline, &TimelineView::sliceHovered, this, [this](SliceRef slice, TraceTime) {
        if (slice == m_hovered) return;
        m_hovered = slice;
        m_hoverJob.cancel();
        if (slice.isValid()) m_hoverRest.start();
    });
    connect(m_details, &DetailsPanel::sliceActivated, this, &MainWindow::goTo);
    connect(m_kernels, &KernelPanel::sliceActivated, this, [this](SliceRef slice) {
        goTo(slice);
        m_timeline->fitSelection();
    });
    connect(m_kernels, &KernelPanel::summaryChanged, m_status, &StatusLine::setSummary);
    connect(m_notes, &NotesPanel::summaryChanged, m_status, &StatusLine::setSummary);
}

void MainWindow::connectStrip()
{
    connect(m_strip, &TopStrip::zoomRequested, this, [this](TimeRange range) { m_timeline->zoomTo(range); });
    connect(m_strip, &TopStrip::searchTextChanged, this,
            [this](const QString& text) { m_search.setText(text); });
    connect(m_strip, &TopStrip::searchStepRequested, this,
            [this](bool isForward) { goTo(m_search.step(m_timeline->selectedSlice(), isForward)); });
    connect(m_strip, &TopStrip::laneFilterChanged, m_timeline, &TimelineView::setLaneFilter);
    connect(m_strip, &TopStrip::commandRequested, this, &MainWindow::runCommand);
    connect(m_strip, &TopStrip::left, this, [this] {
        if (isSessionPageShown()) return m_session->setFocus();
        if (isRunPageShown()) return m_runPage->setFocus();
        m_timeline->setFocus();
    });
    connect(m_strip, &TopStrip::pageRequested, this, [this](TopStrip::Page page) {
        if (page == TopStrip::Page::session) return showSessionPage();
        page == TopStrip::Page::run ? showRunPage() : showTimelinePage();
    });
}

void MainWindow::settleView()
{
    m_trail.visit(m_timeline->visibleRange());
    m_strip->setTrail(m_trail);
}

void MainWindow::goTo(SliceRef slice)
{
    if (slice.isValid()) m_timeline->select(slice, true);
}

void MainWindow::activateReport(ReportKey key)
{
    const Scene& scene = *m_controller.scene();
    if (!scene.shown.has(key)) return;
    m_timeline->zoomTo(scene.alignment.map(key).alignedFromTrace(scene.shown.report(key).extent));
}

void MainWindow::runCommand(const QString& text)
{
    for (const auto& [id, action] : m_actions->all()) {
        if (action->text().section('\t', 0, 0) == text) return action->trigger();
    }
}

void MainWindow::fetchHoverText()
{
    const Scene& scene = *m_controller.scene();
    if (!scene.holds(m_hovered)) return;
    const std::shared_ptr<const Report>& report = scene.shown.shared(m_hovered.report);
    m_hoverJob.start(
        [report, slice = m_hovered.slice](const Progress&) { return readSliceDetails(*report, slice); });
}

void MainWindow::takeHoverDetails(const Result<SliceDetails>& outcome)
{
    if (!outcome || !m_hovered.isValid()) return;
    constexpr size_t kMostLines = 8;
    QStringList lines;
    for (const auto& [name, value] : outcome->arguments) {
        if (lines.size() == kMostLines) break;
        lines << QString::fromStdString(name + "  " + value.substr(0, 60));
    }
    m_timeline->setHoverText(m_hovered, lines.join('\n'));
}

} // namespace lockstep
