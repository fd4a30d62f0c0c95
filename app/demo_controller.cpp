// SPDX-License-Identifier: Apache-2.0
#include "app/demo_controller.h"

#include <QThreadPool>

#include "app/actions.h"
#include "app/demo_reports.h"
#include "app/live_controller.h"
#include "app/page_stack.h"
#include "app/panel_docks.h"
#include "app/run_page_controller.h"
#include "app/workspace_controller.h"
#include "core/analysis/analysis.h"
#include "ui/analysis/analysis_list.h"
#include "ui/analysis/analysis_panel.h"
#include "ui/panels/notice_bar.h"
#include "ui/run/run_head.h"
#include "ui/run/run_words.h"

namespace lockstep {

DemoController::DemoController(const WindowParts& parts, LiveController& live, QObject* parent)
    : QObject(parent), m_parts(parts), m_runs(parts.pages.at<RunPageController>().runs()), m_live(live),
      m_prepare([this](Result<std::shared_ptr<DemoRun>> demo) {
          if (demo) return begin(*std::move(demo));
          m_parts.notice.tell(NoticeBar::Tone::bad, QString::fromStdString(demo.error().message));
      }),
      m_make([this](const Result<std::vector<std::filesystem::path>>& paths) {
          if (!paths) {
              return m_parts.notice.tell(NoticeBar::Tone::bad,
                                         m_reason + ' ' + QString::fromStdString(paths.error().message));
          }
          m_parts.reports.open(*paths);
          emit shown();
          m_parts.notice.tell(
              NoticeBar::Tone::warn,
              tr("The demo could not be run here: %1. What is shown is made up.").arg(m_reason));
      })
{
    connect(parts.actions.at(ActionId::openDemo), &QAction::triggered, this, &DemoController::prepare);
    connect(&m_runs, &RunController::launched, this, [this] {
        if (std::exchange(m_isLaunching, false)) takeLaunch();
    });
    connect(&parts.reports, &WorkspaceController::workspaceOpened, this, &DemoController::takeOpened);
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
        return m_parts.notice.tell(NoticeBar::Tone::quiet,
                                   tr("A run is being watched. Detach from it on the Run page first."));
    }
    m_prepare.start([](const Progress&) { return DemoRun::prepare(demoFolder()); });
}

void DemoController::begin(std::shared_ptr<DemoRun> demo)
{
    // What an earlier one leaves is cleared away beside.
    if (m_demo != nullptr)
        QThreadPool::globalInstance()->start([earlier = m_demo]() mutable { earlier.reset(); });
    m_demo = std::move(demo);
    m_isLaunching = true;
    RunController::Wish wish;
    wish.adapt = [demo = m_demo](LaunchPlan& plan) { demo->adapt(plan); };
    wish.output = m_demo->workspace();
    wish.opensAtEnd = true;
    wish.takeBack = [this](const QString& reason) {
        m_isLaunching = false;
        makeUp(reason);
    };
    m_runs.launch(m_demo->session(), false, std::move(wish));
}

void DemoController::takeLaunch()
{
    m_live.watch();
    connect(m_runs.run(), &Run::ended, this, &DemoController::takeEnd);
    m_parts.notice.tell(NoticeBar::Tone::quiet,
                        tr("The demo runs: four processes on two hosts, which are both this machine."));
}

void DemoController::takeEnd()
{
    if (arrivedCount(m_runs.run()->ledger()) > 0) return; // they are being fetched and opened
    QStringList reasons;
    for (const HostStatus& host : m_runs.run()->hosts()) {
        if (!host.reason.empty()) reasons << QString::fromStdString(host.host + ": " + host.reason);
    }
    makeUp(reasons.isEmpty() ? tr("no report arrived") : reasons.join("; "));
}

void DemoController::takeOpened(const std::filesystem::path& path)
{
    if (m_demo == nullptr || path != m_demo->workspace() || m_runs.run() == nullptr) return;
    m_parts.actions.at(ActionId::showTimeline)->trigger();
    m_parts.actions.at(ActionId::fitAll)->trigger();
    // What there is to be found.
    for (Panel* const panel : m_parts.docks.panels()) {
        auto* const analyses = qobject_cast<AnalysisPanel*>(panel);
        const Analysis* const stragglers = findAnalysis("stragglers");
        if (analyses != nullptr && stragglers != nullptr) analyses->list()->select(*stragglers);
    }
    m_parts.actions.at(ActionId::showAnalyses)->trigger();
    emit shown();
    const Ledger& ledger = m_runs.run()->ledger();
    const bool isWhole = arrivedCount(ledger) == ledger.entries().size();
    if (!isWhole)
        return m_parts.notice.tell(NoticeBar::Tone::warn,
                                   tr("Of the demo, %1.").arg(runOutcome(*m_runs.run())));
    m_parts.notice.tell(
        NoticeBar::Tone::quiet,
        tr("Recorded just now: four processes on two hosts, which are both this machine. One of "
           "them keeps the others waiting."));
}

void DemoController::makeUp(const QString& reason)
{
    m_reason = reason;
    m_make.start([folder = m_demo->madeUpFolder()](const Progress&) { return writeDemoReports(folder); });
}

} // namespace lockstep
