// SPDX-License-Identifier: Apache-2.0
#include "app/window/run_page_controller.h"

#include <algorithm>

#include <QMessageBox>
#include <QPushButton>

#include "app/window/desktop_notification.h"
#include "app/window/known_runs.h"
#include "app/window/open_controller.h"
#include "app/window/page_stack.h"
#include "app/window/run_dialogs.h"
#include "app/window/session_page_controller.h"
#include "app/window/timeline_page_controller.h"
#include "core/base/text.h"
#include "core/remote/agent_client.h"
#include "ui/panels/notice_bar.h"
#include "ui/run/ledger_card.h"
#include "ui/run/log_card.h"
#include "ui/run/run_head.h"
#include "ui/run/run_page.h"
#include "ui/run/run_text.h"
#include "ui/session/session_page.h"

namespace lockstep {

namespace {

// Returns the date and time of day, such as "2026-11-20 12:04".
QString utcMinute(int64_t epoch_ns)
{
    return QString::fromStdString(utcDateText(epoch_ns)) + ' ' +
           QString::fromStdString(utcTimeText(epoch_ns)).left(5);
}

} // namespace

// Returns the size of a file, or 0 if there is no such file.
static int64_t fileSize_bytes(const std::filesystem::path& path)
{
    std::error_code error;
    const auto size_bytes = std::filesystem::file_size(path, error);
    return error ? 0 : static_cast<int64_t>(size_bytes);
}

RunPageController::RunPageController(const WindowParts& parts)
    : m_parts(parts), m_session(parts.pages.at<SessionPageController>().page()),
      m_page(new RunPage(&parts.window)), m_runs(*m_page, parts.workers, parts.runOptions)
{
    const AgentProgramFiles installed = findAgentProgramFiles();
    m_session.setInstalledSizes(fileSize_bytes(installed.agent), fileSize_bytes(installed.library));
    applySettings();
    parts.settings.bind("run/", this, [this] { applySettings(); });
    parts.settings.bind("ssh/", this, [this] { applySettings(); });
    connect(m_page->end(), &EndCard::optionsChanged, this,
            [this] { m_parts.settings.setRunEnd(m_page->end()->options()); });
    connect(m_page, &RunPage::helpRequested, this, &Page::helpRequested);
    connectActions();
    connectRuns();
    m_runs.listRuns();
}

void RunPageController::connectActions()
{
    const auto on = [this](CommandId id, auto&& run) {
        connect(m_parts.actions.at(id), &QAction::triggered, this, run);
    };
    on(CommandId::showRun, [this] { emit frontRequested(); });
    on(CommandId::runSession, [this] {
        m_parts.actions.at(CommandId::showSession)->trigger(); // shows the session checks
        launch(false);
    });
    on(CommandId::attachRun, [this] { promptToAttach(); });
    on(CommandId::stopRun, [this] { m_page->head()->requestStop(); });
    on(CommandId::detachRun, [this] { m_runs.stopWatching(); });
    on(CommandId::recordServers, [this] {
        emit frontRequested();
        m_page->recordServers();
    });
    on(CommandId::openResults, [this] { m_runs.openResults(); });
    connect(&m_session, &SessionPage::hostCheckRequested, this,
            [this] { m_runs.checkHosts(m_session.draft().config()); });
    connect(&m_session, &SessionPage::dryRunRequested, this, &RunPageController::promptForDryRun);
    connect(&m_session, &SessionPage::hostCheckCanceled, &m_runs, &RunController::cancelQueries);
    connect(&m_session, &SessionPage::runRequested, m_parts.actions.at(CommandId::runSession),
            &QAction::trigger);
    connect(m_page, &RunPage::sessionRequested, m_parts.actions.at(CommandId::showSession),
            &QAction::trigger);
}

void RunPageController::connectRuns()
{
    connect(&m_runs, &RunController::preparing, &m_session, &SessionPage::setWaiting);
    connect(&m_runs, &RunController::hostsQueried, this,
            [this](const std::vector<HostFacts>& facts, const std::vector<UnansweredProbe>& unanswered) {
                if (!facts.empty()) {
                    m_session.draft().applyFacts(facts);
                    m_session.setMessage({});
                }
                std::vector<UnreachableHost> hosts;
                for (const UnansweredProbe& one : unanswered)
                    hosts.push_back({one.host, one.address, one.error.message});
                m_session.draft().applyUnreachable(std::move(hosts));
            });
    connect(&m_runs, &RunController::refused, this, &RunPageController::showRefusal);
    connect(&m_runs, &RunController::secretsRequired, this,
            [this](const std::vector<std::string>& names, bool isForced) {
                promptForSecrets(m_parts.window, names, [this, isForced](const TextPairs& values) {
                    m_runs.provideSecrets(values);
                    launch(isForced);
                });
            });
    connect(&m_runs, &RunController::runChanged, this, [this](RunChange change) {
        if (change == RunChange::launched) {
            m_session.setMessage({});
            emit frontRequested();
        }
        followRun();
    });
    connect(&m_runs, &RunController::runsListed, this, &RunPageController::offerToAttach);
    connect(m_page->ledger(), &LedgerCard::openRequested, this, [this](size_t entry) {
        if (m_runs.run() != nullptr)
            m_parts.opening.open({m_runs.run()->ledger().entries()[entry].localPath});
    });
    connect(&m_runs, &RunController::runEnded, this, [this](bool notifies) {
        const Run& run = *m_runs.run();
        if (notifies)
            notifyDesktop(tr("%1 ended").arg(QString::fromStdString(run.record().session)), runOutcome(run));
        showEnd(Results::none);
    });
    followRun();
    const auto remove = [this](const KnownRun& run) { m_removal.prompt(m_parts.window, run); };
    connect(m_page->list(), &RunList::removeRequested, this, remove);
    connect(&m_removal, &RunRemoval::removed, &m_runs, &RunController::listRuns);
    connect(&m_removal, &RunRemoval::failed, this, [this](const QString& reason) {
        m_parts.notice.showNotice(NoticeBar::Tone::warn, reason, {{tr("Dismiss"), [] {}}});
    });
}

void RunPageController::followRun()
{
    if (m_runs.run() != nullptr)
        connect(m_runs.run(), &Run::stateChanged, this, &RunPageController::enableCommands,
                Qt::UniqueConnection);
    enableCommands();
}

// Enables Run > Stop and Run > Record servers while there is such a run; otherwise their tooltips state why
// there is none.
void RunPageController::enableCommands()
{
    const Run* const run = m_runs.run();
    QString obstacle;
    if (run == nullptr) {
        obstacle = tr("No run is being watched. Launch a session, or attach to a run.");
    } else if (run->state() == RunState::stopping) {
        obstacle = tr("The run is already stopping.");
    } else if (run->state() == RunState::ended || run->state() == RunState::detached) {
        obstacle = tr("The run has ended.");
    }
    QAction* const stop = m_parts.actions.at(CommandId::stopRun);
    stop->setEnabled(obstacle.isEmpty());
    stop->setToolTip(obstacle.isEmpty() ? commandDescription(CommandId::stopRun) : obstacle);
    stop->setStatusTip(stop->toolTip());
    QAction* const record = m_parts.actions.at(CommandId::recordServers);
    const QString hindrance = recordingObstacle(run);
    record->setEnabled(hindrance.isEmpty());
    record->setToolTip(hindrance.isEmpty() ? commandDescription(CommandId::recordServers) : hindrance);
    record->setStatusTip(record->toolTip());
}

bool RunPageController::isBusy() const
{
    return m_runs.isBusy() || m_removal.isBusy() || m_page->isRecording();
}

bool RunPageController::isModified() const
{
    return m_page->isRecording();
}

void RunPageController::confirmClose(const std::function<void()>& leave)
{
    emit frontRequested();
    m_page->stopRecording(leave);
}

QWidget* RunPageController::widget() const
{
    return m_page;
}

void RunPageController::applySettings()
{
    const Settings& settings = m_parts.settings;
    m_page->end()->setOptions(settings.runEnd());
    m_runs.setSsh(settings.value("ssh/options").toString(), settings.value("ssh/config").toString());
}

void RunPageController::onActivated()
{
    m_page->setFocus();
}

void RunPageController::setTheme(const Theme& theme)
{
    m_page->setTheme(theme);
}

void RunPageController::launch(bool isForced)
{
    if (!m_session.checkTexts(tr("Couldn't launch the session"))) return;
    m_runs.launch(m_session.draft().config(), isForced);
}

void RunPageController::promptForDryRun()
{
    if (!m_session.checkTexts(tr("Couldn't start the dry run"))) return;
    const SessionConfig& config = m_session.draft().config();
    const size_t hosts = m_session.draft().plan() ? m_session.draft().plan()->hosts.size() : 0;
    auto* const box =
        new QMessageBox(QMessageBox::Question, tr("Dry run"),
                        tr("Run %1 on %n host(s) without the training?", nullptr, static_cast<int>(hosts))
                            .arg(QString::fromStdString(config.script)),
                        QMessageBox::Cancel, &m_parts.window);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setTextFormat(Qt::PlainText);
    box->setInformativeText(
        tr("Where the script would start the training, Lockstep records the exact command "
           "instead. All other commands of the script run."));
    QPushButton* const run = box->addButton(tr("Dry run"), QMessageBox::AcceptRole);
    connect(run, &QPushButton::clicked, this, [this] {
        m_runs.resolveScript(
            m_session.draft().config(), m_session.draft().facts(),
            [this](const auto& launches, const auto& problems) { showDryRun(launches, problems); });
    });
    box->open();
}

void RunPageController::showDryRun(const std::vector<RecordedLaunch>& launches,
                                   const std::vector<std::string>& problems)
{
    m_session.draft().applyLaunches(launches);
    QStringList lines;
    for (const std::string& problem : problems)
        lines << QString::fromStdString(problem);
    for (const RecordedLaunch& launch : launches) {
        if (!launch.problem.empty()) lines << QString::fromStdString(launch.host + ": " + launch.problem);
    }
    const auto training = std::ranges::find(launches, std::string(), &RecordedLaunch::problem);
    if (training == launches.end() && lines.isEmpty()) lines << tr("The script started no training.");
    if (lines.isEmpty()) return m_session.setMessage({});
    m_session.setMessage(lines.join('\n'));
}

// Shows the reason on the session page, where the user can fix it.
void RunPageController::showRefusal(const QString& reason, bool canForce, HelpTopic help)
{
    m_parts.actions.at(CommandId::showSession)->trigger();
    const PageBanner::Action force{tr("Launch anyway"), [this] { launch(true); }};
    m_session.setMessage(canForce ? tr("Nothing was started. %1").arg(reason) : reason, help,
                         canForce ? force : PageBanner::Action());
}

// Offers to attach to a run that is still running, once per window.
void RunPageController::offerToAttach(const std::vector<KnownRun>& runs)
{
    NoticeBar& notice = m_parts.notice;
    if (std::exchange(m_hasOfferedRun, true) || m_runs.run() != nullptr || !notice.isEmpty()) return;
    const KnownRun* const run = unfinishedRun(runs);
    if (run == nullptr) return;
    const QString id = QString::fromStdString(run->record.id);
    const QString started = utcMinute(run->record.started_ns);
    const size_t hosts = run->record.hosts.size();
    const int64_t lastSeen_ns = std::max(run->lastSeen_ns, run->record.started_ns);
    notice.showNotice(NoticeBar::Tone::quiet,
                      tr("%1, started %2 UTC, was running on %n host(s) when last seen at %3 UTC.", nullptr,
                         static_cast<int>(hosts))
                          .arg(QString::fromStdString(run->record.session), started, utcMinute(lastSeen_ns)),
                      {{tr("Attach"),
                        [this, id] {
                            emit frontRequested();
                            m_runs.attach(id);
                        }},
                       {tr("Not now"), [] {}}});
}

// A run ends while the user works on something else, so its results are offered, not shown.
void RunPageController::showEnd(Results results)
{
    const Run* const run = m_runs.run();
    if (run == nullptr) return;
    const QString name = QString::fromStdString(run->record().session);
    std::vector<NoticeBar::Choice> choices;
    const QWidget* const timeline = m_parts.pages.at<TimelinePageController>().widget();
    if (results == Results::closed)
        choices.push_back({tr("Open results\u2026"), [this] { m_runs.openResults(); }});
    if (results == Results::open && !timeline->isVisible()) {
        choices.push_back(
            {tr("Show timeline"), [this] { m_parts.actions.at(CommandId::showTimeline)->trigger(); }});
    }
    const std::span<const HostStatus> hosts = run->hosts();
    const auto failed = std::ranges::find(hosts, HostState::failed, &HostStatus::state);
    if (failed == hosts.end()) {
        if (choices.empty()) return;
        choices.push_back({tr("Dismiss"), [] {}});
        const auto reports = static_cast<int>(arrivedCount(run->ledger()));
        return m_parts.notice.showNotice(NoticeBar::Tone::quiet,
                                         tr("%1 ended. %n report(s) collected.", nullptr, reports).arg(name),
                                         choices);
    }
    const LedgerEntry* const entry = run->ledger().firstFailure(failed->host);
    if (results == Results::open && entry != nullptr && entry->knownRank()) {
        choices.push_back(
            {tr("Show rank %1").arg(*entry->knownRank()),
             [this, host = entry->host, rank = *entry->knownRank()] { emit rankRequested(host, rank); }});
    }
    const RunProblem* const problem = loggedCause(*failed);
    if (problem != nullptr) {
        choices.insert(choices.begin(),
                       {tr("Show log line"), [this, host = static_cast<size_t>(failed - hosts.begin()),
                                              cause = *problem] { showLogLine(host, cause); }});
    }
    choices.push_back({tr("Dismiss"), [] {}});
    const QString host = failed->host.empty() ? tr("this machine") : QString::fromStdString(failed->host);
    m_parts.notice.showNotice(
        NoticeBar::Tone::bad,
        tr("%1 failed on %2: %3").arg(name, host, QString::fromStdString(failed->reason)), choices,
        failed->reasonHelp);
}

void RunPageController::showLogLine(size_t host, const RunProblem& problem)
{
    emit frontRequested();
    m_page->log()->goTo(host, problem.time_ns, problem.line);
    m_page->log()->view()->setFocus(Qt::OtherFocusReason);
}

void RunPageController::promptToAttach()
{
    emit frontRequested();
    if (m_page->isEmpty()) return; // the empty page lists the runs itself
    RunList* const list = promptForRun(m_parts.window, [this](const QString& id) { m_runs.attach(id); });
    connect(&m_runs, &RunController::runsListed, list, &RunList::setRuns);
    connect(list, &RunList::removeRequested, this,
            [this, list](const KnownRun& run) { m_removal.prompt(*list->window(), run); });
    m_runs.listRuns();
}

} // namespace lockstep
