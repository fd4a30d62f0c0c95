#include "app/main_window.h"

#include <algorithm>
#include <array>

#include <QApplication>
#include <QCloseEvent>
#include <QDockWidget>
#include <QMenuBar>
#include <QStackedWidget>
#include <QStyle>
#include <QToolBar>
#include <QVBoxLayout>

#include "app/status_line.h"
#include "ui/panels/alignment_panel.h"
#include "ui/panels/details_panel.h"
#include "ui/panels/drop_overlay.h"
#include "ui/panels/identity_panel.h"
#include "ui/panels/kernel_panel.h"
#include "ui/panels/notes_panel.h"
#include "ui/panels/notice_bar.h"
#include "ui/panels/report_choice_page.h"
#include "ui/panels/reports_panel.h"
#include "ui/panels/start_page.h"
#include "ui/panels/top_strip.h"
#include "ui/run/run_page.h"
#include "ui/session/session_page.h"
#include "ui/style/style_sheet.h"
#include "ui/timeline/timeline_view.h"

namespace lockstep {

namespace {

constexpr int kLayoutVersion = 2; // of saveState(); raised when docks are added

// Widgets measure themselves by the application's font while they are made, so it comes first; and before it
// a style sheet, as the first one puts the system's font in its place.
Settings& withFontSet(Settings& settings)
{
    qApp->setStyleSheet(" ");
    QApplication::setFont(interfaceFont(settings.fontScale()));
    return settings;
}

} // namespace

MainWindow::MainWindow(Settings& settings, bool systemIsDark, RunController::MakeOptions runOptions)
    : m_settings(withFontSet(settings)), m_systemIsDark(systemIsDark), m_themeChoice(settings.themeChoice()),
      m_controller(this), m_strip(new TopStrip(this)), m_notice(new NoticeBar),
      m_pages(new QStackedWidget(this)), m_start(new StartPage(this)), m_choice(new ReportChoicePage(this)),
      m_timeline(new TimelineView(this)), m_session(new SessionPage(this)), m_runPage(new RunPage(this)),
      m_reports(new ReportsPanel(this)), m_details(new DetailsPanel(this)), m_kernels(new KernelPanel(this)),
      m_alignment(new AlignmentPanel(m_undo, this)), m_notes(new NotesPanel(this)),
      m_identity(new IdentityPanel(this)), m_status(new StatusLine(this)), m_drop(new DropOverlay(this)),
      m_runOptions(std::move(runOptions)), m_search([this] { m_strip->setSearchState(m_search.state()); }),
      m_hoverJob([this](const Result<SliceDetails>& outcome) { takeHoverDetails(outcome); }),
      m_demoJob([this](const Result<std::vector<std::filesystem::path>>& paths) { takeDemo(paths); })
{
    setAcceptDrops(true);
    setDockOptions(AllowTabbedDocks | AllowNestedDocks);
    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    setCorner(Qt::BottomLeftCorner, Qt::BottomDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::BottomDockWidgetArea);
    setStatusBar(m_status);
    m_pages->addWidget(m_start);
    m_pages->addWidget(m_timeline);
    m_pages->addWidget(m_session);
    m_pages->addWidget(m_runPage);
    m_pages->addWidget(m_choice);
    m_pages->setMinimumWidth(scaledPixels(480)); // a page that is not shown makes no room for itself
    auto* const centre = new QWidget(this);
    auto* const column = new QVBoxLayout(centre);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_notice);
    column->addWidget(m_pages, 1);
    setCentralWidget(centre);
    m_actions = std::make_unique<ActionTable>(this);
    makeStrip();
    makeDocks();
    makeMenus();
    connectActions();
    connectController();
    connectTimeline();
    connectStrip();
    connectSession();
    connectRun();
    connectAlignment();
    connectWorkspace();
    connectChoice();
    connectIdentity();
    showRecent();
    setMemoryPercent(m_settings.memoryPercent());
    applyLook();
    showEntries();
    showReports();
    restoreLayout();
}

// The stack empties itself at its end; nobody needs to hear of that.
MainWindow::~MainWindow()
{
    m_undo.disconnect(this);
}

void MainWindow::open(const std::vector<std::filesystem::path>& paths)
{
    if (paths.empty()) return;
    const auto isSession = [](const std::filesystem::path& path) {
        return path.extension() == ".yaml" || path.extension() == ".yml";
    };
    std::vector<std::filesystem::path> reports;
    std::ranges::remove_copy_if(paths, std::back_inserter(reports), isSession);
    const auto session = std::ranges::find_if(paths, isSession);
    if (session != paths.end()) {
        showSessionPage();
        m_session->openFile(*session);
    }
    if (reports.empty()) return;
    std::vector<std::filesystem::path> named; // a workspace is remembered by itself, once it is open
    std::ranges::remove_copy_if(reports, std::back_inserter(named),
                                [](const auto& path) { return path.extension() == ".lockstep"; });
    m_settings.addRecent(named);
    showRecent();
    m_start->setMessage({});
    if (session == paths.end()) showTimelinePage();
    m_controller.open(reports);
}

bool MainWindow::isStartPageShown() const
{
    return m_pages->currentWidget() == m_start;
}

bool MainWindow::isSettled() const
{
    return !m_controller.isBusy() && !m_runs->isBusy() && !m_saved.isSaving() && !m_kernels->isComputing() &&
           !m_details->isFetching() && !m_search.isRunning() && !m_viewRest.isActive() &&
           !m_demoJob.isRunning();
}

void MainWindow::makeStrip()
{
    auto* const bar = new QToolBar("Pages and search", this);
    bar->setObjectName("strip");
    bar->setMovable(false);
    bar->setFloatable(false);
    bar->setContextMenuPolicy(Qt::PreventContextMenu);
    bar->toggleViewAction()->setVisible(false);
    bar->addWidget(m_strip);
    addToolBar(Qt::TopToolBarArea, bar);
}

QDockWidget* MainWindow::makeDock(const QString& title, QWidget* panel, Qt::DockWidgetArea area)
{
    auto* const dock = new QDockWidget(title, this);
    dock->setObjectName("dock " + title);
    dock->setWidget(panel);
    panel->setAccessibleName(title);
    // A docked panel is named by its tab or its own caption; only a floating one needs a title bar to be
    // moved by.
    dock->setTitleBarWidget(new QWidget(dock));
    connect(dock, &QDockWidget::topLevelChanged, dock, [dock](bool isFloating) {
        QWidget* const old = dock->titleBarWidget();
        dock->setTitleBarWidget(isFloating ? nullptr : new QWidget(dock));
        if (old != nullptr) old->deleteLater();
    });
    addDockWidget(area, dock);
    return dock;
}

void MainWindow::makeDocks()
{
    m_reportsDock = makeDock("Reports", m_reports, Qt::LeftDockWidgetArea);
    m_reports->setMinimumWidth(scaledPixels(140));
    const std::array<std::pair<const char*, QWidget*>, 5> bottom{{{"Details", m_details},
                                                                  {"Kernels", m_kernels},
                                                                  {"Alignment", m_alignment},
                                                                  {"Identities", m_identity},
                                                                  {"Notes", m_notes}}};
    for (const auto& [title, panel] : bottom) {
        panel->setMinimumHeight(scaledPixels(90));
        QDockWidget* const dock = makeDock(title, panel, Qt::BottomDockWidgetArea);
        if (!m_bottomDocks.empty()) tabifyDockWidget(m_bottomDocks.back(), dock);
        m_bottomDocks.push_back(dock);
    }
    m_bottomDocks[1]->raise();
}

void MainWindow::restoreLayout()
{
    if (!m_settings.geometry().isEmpty()) {
        restoreGeometry(m_settings.geometry());
    } else {
        resize(1440, 900);
    }
    if (m_settings.layout().isEmpty() || !restoreState(m_settings.layout(), kLayoutVersion)) arrangeDocks();
}

void MainWindow::arrangeDocks()
{
    resizeDocks({m_reportsDock}, {scaledPixels(312)}, Qt::Horizontal);
    resizeDocks({m_bottomDocks[1]}, {height() * 31 / 100}, Qt::Vertical);
}

void MainWindow::setThemeChoice(ThemeChoice choice)
{
    m_themeChoice = choice;
    applyLook();
}

void MainWindow::setFontScale(double scale)
{
    m_settings.setFontScale(scale);
    applyLook();
}

void MainWindow::applyLook()
{
    const bool isDark =
        m_themeChoice == ThemeChoice::dark || (m_themeChoice == ThemeChoice::system && m_systemIsDark);
    m_theme = isDark ? &darkTheme() : &lightTheme();
    QApplication::setFont(interfaceFont(m_settings.fontScale()));
    QApplication::setPalette(m_theme->palette());
    qApp->setStyleSheet(styleSheetOf(*m_theme, m_settings.fontScale()));
    m_timeline->setTheme(*m_theme);
    m_session->setTheme(*m_theme);
    m_runPage->setTheme(*m_theme);
    m_reports->setTheme(*m_theme);
    m_details->setTheme(*m_theme);
    m_kernels->setTheme(*m_theme);
    m_notes->setTheme(*m_theme);
    m_alignment->setTheme(*m_theme);
    m_choice->setTheme(*m_theme);
    m_identity->setTheme(*m_theme);
    m_status->setTheme(*m_theme);
    m_drop->setTheme(*m_theme);
}

void MainWindow::raiseDock(QWidget* panel)
{
    auto* const dock = qobject_cast<QDockWidget*>(panel->parentWidget());
    dock->show();
    dock->raise();
}

void MainWindow::foldPanels()
{
    const bool anyShown =
        std::ranges::any_of(m_bottomDocks, [](const QDockWidget* dock) { return !dock->isHidden(); });
    for (QDockWidget* dock : m_bottomDocks) {
        if (!dock->isFloating()) dock->setVisible(!anyShown);
    }
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    if (!mayClose()) return event->ignore();
    showTimelinePage();
    m_settings.setWindow(saveGeometry(), saveState(kLayoutVersion));
    QMainWindow::closeEvent(event);
}

void MainWindow::resizeEvent(QResizeEvent* event)
{
    QMainWindow::resizeEvent(event);
    m_drop->setGeometry(rect());
}

} // namespace lockstep
