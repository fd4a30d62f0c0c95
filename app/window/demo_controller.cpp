// SPDX-License-Identifier: Apache-2.0
#include "app/window/demo_controller.h"

#include <algorithm>

#include <QThreadPool>

#include "app/run/demo_reports.h"
#include "app/window/command_actions.h"
#include "app/window/live_controller.h"
#include "app/window/page_stack.h"
#include "app/window/panel_docks.h"
#include "app/window/run_page_controller.h"
#include "app/window/workspace_controller.h"
#include "core/analysis/analysis.h"
#include "ui/analysis/analysis_list.h"
#include "ui/analysis/analysis_panel.h"
#include "ui/run/run_head.h"
#include "ui/run/run_text.h"

namespace lockstep {

DemoController::DemoController(const WindowParts& parts, LiveController& live, QObject* parent)
    : QObject(parent), m_parts(parts), m_runs(parts.pages.at<RunPageController>().runs()), m_live(live),
      m_prepare([this](Result<std::shared_ptr<DemoRun>> demo) {
          if (demo) return begin(*std::move(demo));
          m_parts.notice.showNotice(NoticeBar::Tone::bad, QString::fromStdString(demo.error().message), {},
                                    demo.error().help);
      }),
      m_make([this](const Result<std::vector<std::filesystem::path>>& paths) {
          if (!paths) {
              return m_parts.notice.showNotice(
                  NoticeBar::Tone::bad, m_reason + ' ' + QString::fromStdString(paths.error().message), {},
                  m_reasonHelp != HelpTopic::none ? m_reasonHelp : paths.error().help);
          }
          m_parts.reports.open(*paths);
          emit shown();
          showNotice(NoticeBar::Tone::warn,
                     tr("Couldn't run the demo here (%1). Showing synthetic data.").arg(m_reason),
                     m_reasonHelp);
      })
{
    connect(parts.actions.at(CommandId::openDemo), &QAction::triggered, this, &DemoController::prepare);
    connect(&m_runs, &RunController::runChanged, this, [this](RunChange change) {
        if (change == RunChange::launched && std::exchange(m_isLaunching, false)) handleLaunch();
    });
    connect(&parts.reports, &WorkspaceController::workspaceOpened, this, &DemoController::handleOpened);
    connect(&parts.reports.reports(), &ReportList::changed, this, &DemoController::dropNotice);
}

DemoController::~DemoController() = default;

bool DemoController::isRunning() const
{
    const Run* const run = m_runs.run();
    return run != nullptr && run->state() != RunState::ended && run->state() != RunState::detached;
}

bool DemoController::isBusy() const
{
    return m_prepare.isRunning() || m_make.isRunning() || m_isLaunching || (m_demo != nullptr && isRunning());
}

void DemoController::prepare()
{
    if (m_prepare.isRunning() || m_isLaunching) return;
    if (isRunning()) {
        return m_parts.notice.showNotice(NoticeBar::Tone::quiet,
                                         tr("A run is being watched. Stop watching on the Run page first."));
    }
    m_prepare.start([](const Progress&) { return DemoRun::prepare(demoFolder()); });
}

void DemoController::begin(std::shared_ptr<DemoRun> demo)
{
    // Delete the earlier demo in the background.
    if (m_demo != nullptr)
        QThreadPool::globalInstance()->start([earlier = m_demo]() mutable { earlier.reset(); });
    m_demo = std::move(demo);
    m_isLaunching = true;
    RunController::LaunchOptions requested;
    requested.adapt = [demo = m_demo](LaunchPlan& plan) { demo->adapt(plan); };
    requested.output = m_demo->workspace();
    requested.opensAtEnd = true;
    requested.rollBack = [this](const QString& reason, HelpTopic help) {
        m_isLaunching = false;
        openSynthetic(reason, help);
    };
    m_runs.launch(m_demo->session(), false, std::move(requested));
}

void DemoController::handleLaunch()
{
    m_live.watch();
    connect(m_runs.run(), &Run::ended, this, &DemoController::handleEnd);
    showNotice(NoticeBar::Tone::quiet,
               tr("The demo is running: four processes on two hosts, both of which are this machine."));
}

void DemoController::handleEnd()
{
    const Ledger& ledger = m_runs.run()->ledger();
    if (arrivedCount(ledger) + unfinishedCount(ledger) > 0)
        return; // fetching and opening the reports is in progress
    QStringList reasons;
    HelpTopic help = HelpTopic::none;
    for (const HostStatus& host : m_runs.run()->hosts()) {
        if (host.reason.empty()) continue;
        if (help == HelpTopic::none) help = host.reasonHelp;
        reasons << QString::fromStdString(host.host + ": " + host.reason);
    }
    openSynthetic(reasons.isEmpty() ? tr("no report was collected") : reasons.join("; "), help);
}

void DemoController::handleOpened(const std::filesystem::path& path)
{
    if (m_demo == nullptr || path != m_demo->workspace() || m_runs.run() == nullptr) return;
    m_parts.actions.at(CommandId::showTimeline)->trigger();
    m_parts.actions.at(CommandId::fitAll)->trigger();
    // Show the table with the finding of the demo.
    for (Panel* const panel : m_parts.docks.panels()) {
        auto* const analyses = qobject_cast<AnalysisPanel*>(panel);
        const Analysis* const stragglers = findAnalysis("stragglers");
        if (analyses != nullptr && stragglers != nullptr) analyses->list()->select(*stragglers);
    }
    m_parts.actions.at(CommandId::showAnalyses)->trigger();
    emit shown();
    const Ledger& ledger = m_runs.run()->ledger();
    const bool isWhole = arrivedCount(ledger) == reportCount(ledger);
    if (!isWhole) return showNotice(NoticeBar::Tone::warn, tr("Demo: %1.").arg(runOutcome(*m_runs.run())));
    showNotice(NoticeBar::Tone::quiet,
               tr("Recorded just now: four processes on two hosts, both of which are this machine. One "
                  "process keeps the others waiting."));
}

void DemoController::showNotice(NoticeBar::Tone tone, const QString& text, HelpTopic help)
{
    m_notice = text;
    m_parts.notice.showNotice(tone, text, {}, help);
}

// Removes the notice about the demo when other reports are opened or the reports of the demo are closed.
void DemoController::dropNotice()
{
    if (m_notice.isEmpty() || m_parts.notice.text() != m_notice || isRunning()) return;
    const std::string folder = m_demo->folder().string() + '/';
    const auto isOfDemo = [&](const ReportEntry& entry) {
        const std::filesystem::path& file = entry.container.empty() ? entry.path : entry.container;
        return file.string().starts_with(folder);
    };
    const auto& entries = m_parts.reports.reports().entries();
    if (entries.empty() || !std::ranges::all_of(entries, isOfDemo)) m_parts.notice.clear();
}

void DemoController::openSynthetic(const QString& reason, HelpTopic help)
{
    m_reason = reason;
    m_reasonHelp = help;
    m_make.start([folder = m_demo->syntheticFolder()](const Progress&) { return writeDemoReports(folder); });
}

} // namespace lockstep
