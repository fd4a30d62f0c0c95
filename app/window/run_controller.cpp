// SPDX-License-Identifier: Apache-2.0
#include "app/window/run_controller.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "app/run/run_output.h"
#include "app/window/app_log.h"
#include "app/window/known_runs.h"
#include "core/session/preflight.h"
#include "core/session/secrets.h"
#include "core/session/shell_quote.h"
#include "ui/run/ledger_card.h"
#include "ui/run/run_head.h"
#include "ui/run/run_page.h"
#include "ui/run/run_text.h"

namespace lockstep {

namespace {

Result<RunOptions> optionsFromEnvironment()
{
    RunOptions options;
    options.ssh = sshOptionsFromEnvironment();
    options.agent = LOCKSTEP_TRY(findAgentProgram());
    return options;
}

QString text(const std::string& words)
{
    return QString::fromStdString(words);
}

} // namespace

RunController::RunController(RunPage& page, const Workers& workers, MakeOptions makeOptions, QObject* parent)
    : QObject(parent), m_page(page),
      m_makeOptions(makeOptions ? std::move(makeOptions) : MakeOptions(optionsFromEnvironment)),
      m_prepare([this](const Result<RunOptions>& options) { handleOptions(options); }),
      m_prepareDryRun([this](const Result<RunOptions>& options) { beginDryRun(options); }),
      m_launch([this](const Result<CreatedRunPtr>& made) { handleLaunched(made); }),
      m_reopen([this](const Result<CreatedRunPtr>& made) { handleReopened(made); }),
      m_list([this](const Result<std::vector<KnownRun>>& runs) {
          if (!runs) return;
          m_page.setKnownRuns(*runs);
          emit runsListed(*runs);
      }),
      m_write([this](const Result<WrittenWorkspace>& written) { handleWritten(written); }, workers)
{
    connect(&page, &RunPage::attachRequested, this, &RunController::attach);
    connect(&page, &RunPage::closeRequested, this, &RunController::stopWatching);
    const RunHead* const header = page.head();
    connect(header, &RunHead::detachRequested, this, &RunController::stopWatching);
    connect(header, &RunHead::openRequested, this, &RunController::openResults);
    connect(header, &RunHead::stopRequested, this, [this](double grace_s) {
        if (m_run) m_run->stop(grace_s);
    });
    connect(header, &RunHead::stopAfterStepRequested, this, [this] {
        if (m_run == nullptr || !m_run->stopAfterStep()) return;
        m_page.setMessage(tr("The run will stop after step %1.").arg(*m_run->lastStep()), false);
        m_page.head()->refresh(m_run.get(), m_collector != nullptr);
    });
    const LedgerCard* const ledger = page.ledger();
    connect(ledger, &LedgerCard::fetchRequested, this, &RunController::fetch);
    connect(ledger, &LedgerCard::cancelRequested, this, &RunController::stopFetching);
    page.setKnownRuns({});
    connect(this, &RunController::refused, this,
            [](const QString& reason) { qCWarning(appLog, "not launched: %s", qUtf8Printable(reason)); });
}

RunController::~RunController()
{
    disconnect();
    m_page.watch(nullptr);
    delete m_collector;
    delete m_probe;
    if (m_run) m_run->detach();
}

bool RunController::isBusy() const
{
    return isPreparing() || m_collector != nullptr || m_write.isRunning() || m_list.isRunning() ||
           m_reopen.isRunning();
}

bool RunController::isPreparing() const
{
    return m_prepare.isRunning() || m_probe != nullptr || m_launch.isRunning() ||
           m_prepareDryRun.isRunning() || m_dryRun != nullptr;
}

void RunController::listRuns()
{
    m_list.start([](const Progress&) -> Result<std::vector<KnownRun>> { return listKnownRuns(); });
}

void RunController::checkHosts(const SessionConfig& config)
{
    probe(config, false, false);
}

void RunController::resolveScript(const SessionConfig& config, const std::vector<HostFacts>& facts,
                                  ScriptResolved done)
{
    if (isPreparing()) return;
    m_launches = false;
    m_launchOptions = {};
    if (const auto plan = dryRunPlan(config, facts); !plan) return refuse(plan.error());
    m_config = config;
    m_dryRunFacts = facts;
    m_scriptResolved = std::move(done);
    emit preparing(tr("Dry run of the script\u2026"));
    m_prepareDryRun.start([makeOptions = optionsMaker()](const Progress&) { return makeOptions(); });
}

void RunController::beginDryRun(const Result<RunOptions>& options)
{
    auto made = options ? DryRun::create(m_config, m_dryRunFacts, *options)
                        : Result<std::unique_ptr<DryRun>>(tl::make_unexpected(options.error()));
    if (!made) {
        emit preparing({});
        return refuse(made.error());
    }
    m_dryRun = std::move(*made);
    connect(m_dryRun.get(), &DryRun::outputArrived, this,
            [this](const std::string& host, const std::string& line) {
                emit preparing(tr("Dry run, %1: %2").arg(text(host), text(line).simplified()));
            });
    connect(m_dryRun.get(), &DryRun::finished, this, [this] {
        DryRun* const ended = m_dryRun.release();
        ended->deleteLater();
        emit preparing({});
        m_scriptResolved(ended->launches(), ended->problems());
    });
}

void RunController::cancelQueries()
{
    m_prepareDryRun.cancel();
    if (m_dryRun != nullptr) m_dryRun->cancel(); // finished() follows
    if (!m_prepare.isRunning() && m_probe == nullptr) return;
    m_prepare.cancel();
    if (m_probe != nullptr) {
        m_probe->disconnect(this);
        std::exchange(m_probe, nullptr)->deleteLater(); // ends its calls, which kills their ssh processes
    }
    emit preparing({});
    if (m_launches) refuse(tr("The launch was canceled; nothing was started."), false, HelpTopic::none);
}

void RunController::launch(const SessionConfig& config, bool isForced)
{
    launch(config, isForced, LaunchOptions());
}

void RunController::launch(const SessionConfig& config, bool isForced, LaunchOptions requested)
{
    if (isPreparing()) {
        if (requested.rollBack) requested.rollBack(tr("Another run is being prepared."), HelpTopic::none);
        return;
    }
    m_launchOptions = std::move(requested);
    m_launches = true;
    const bool continues = m_run && m_run->state() != RunState::ended && m_run->state() != RunState::detached;
    if (continues) {
        return refuse(tr("A run is being watched. Stop watching on the Run page first; the run continues on "
                         "its hosts."),
                      false, HelpTopic::none);
    }
    const std::vector<std::string> missing = missingSecrets(config);
    if (!missing.empty()) return emit secretsRequired(missing, isForced);
    probe(config, isForced, true);
}

std::vector<std::string> RunController::missingSecrets(const SessionConfig& config) const
{
    const auto lookUp = [this](const char* name) -> const char* {
        const auto typed = std::ranges::find(m_secrets, name, [](const auto& pair) { return pair.first; });
        return typed != m_secrets.end() ? typed->second.c_str() : std::getenv(name);
    };
    return secretValues(config, lookUp).missing;
}

void RunController::setSsh(const QString& words, const QString& configFile)
{
    m_sshArguments =
        splitShellWords(words.toStdString()).value_or(ShellWords()).words; // validated when it was set
    m_sshConfig = configFile.toStdString();
}

RunController::MakeOptions RunController::optionsMaker() const
{
    return [make = m_makeOptions, words = m_sshArguments, config = m_sshConfig]() -> Result<RunOptions> {
        RunOptions options = LOCKSTEP_TRY(make());
        options.ssh.extraArguments.insert(options.ssh.extraArguments.end(), words.begin(), words.end());
        if (options.ssh.configFile.empty()) options.ssh.configFile = config;
        return options;
    };
}

void RunController::provideSecrets(const TextPairs& values)
{
    for (const auto& [name, value] : values) {
        std::erase_if(m_secrets, [&key = name](const auto& pair) { return pair.first == key; });
        m_secrets.emplace_back(name, value);
    }
}

void RunController::probe(const SessionConfig& config, bool isForced, bool launches)
{
    if (isPreparing()) return;
    m_launches = launches;
    const auto plan = planLaunch(config, {});
    if (!plan) return refuse(plan.error());
    m_config = config;
    m_isForced = isForced;
    const size_t total = plan->hosts.size();
    emit preparing(tr("Querying %n host(s)\u2026", nullptr, static_cast<int>(total)));
    m_prepare.start([makeOptions = optionsMaker()](const Progress&) { return makeOptions(); });
}

void RunController::handleOptions(const Result<RunOptions>& options)
{
    auto plan = planLaunch(m_config, {});
    if (!options || !plan) {
        emit preparing({});
        return refuse(options ? plan.error() : options.error());
    }
    if (m_launches && m_launchOptions.adapt) m_launchOptions.adapt(*plan);
    m_options = *options;
    m_options.secrets = m_secrets;
    m_probe = new HostProbe(m_config, *plan, m_options, this);
    connect(m_probe, &HostProbe::hostDone, this, [this](size_t done, size_t all) {
        emit preparing(tr("Querying hosts: %1 of %2 done").arg(done).arg(all));
    });
    connect(m_probe, &HostProbe::finished, this, &RunController::handleProbe);
}

void RunController::handleProbe()
{
    const std::vector<HostFacts> facts = m_probe->facts();
    const std::vector<UnansweredProbe> unanswered = m_probe->unanswered();
    QStringList silent;
    HelpTopic help = HelpTopic::none;
    for (const UnansweredProbe& host : unanswered) {
        const QString reason = text(host.error.message);
        if (help == HelpTopic::none) help = host.error.help;
        silent << (reason.contains(text(host.host)) ? reason : text(host.host) + ": " + reason);
    }
    m_probe->deleteLater();
    m_probe = nullptr;
    emit preparing({});
    const bool isOfDemo = m_launches && m_launchOptions.adapt; // not the session on the Session page
    if (!isOfDemo) emit hostsQueried(facts, unanswered);
    if (facts.empty() || (!silent.isEmpty() && !m_isForced)) {
        if (m_launches) silent << tr("Nothing was started.");
        return refuse(silent.join('\n'), m_launches && !facts.empty(), help);
    }
    if (!m_launches) return;
    if (const auto plan = planLaunch(m_config, facts); plan && !m_isForced) {
        Findings findings = preflight(m_config, *plan, facts);
        std::erase_if(findings, [](const Finding& one) { return one.severity != Severity::error; });
        if (!findings.empty()) {
            const QString first = text(findings.front().reason);
            return refuse(findings.size() == 1
                              ? tr("The session checks found errors; nothing was started: %1").arg(first)
                              : tr("The session checks found errors; nothing was started: %1 and %2 more")
                                    .arg(first)
                                    .arg(findings.size() - 1),
                          true, HelpTopic::sessionChecks);
        }
    }
    m_launch.start(
        [config = m_config, facts, options = m_options, adapt = m_launchOptions.adapt,
         owner = thread()](const Progress&) { return makeNewRun(config, facts, options, adapt, owner); });
}

void RunController::refuse(const QString& reason, bool canForce, HelpTopic help)
{
    if (m_launches && m_launchOptions.rollBack) return m_launchOptions.rollBack(reason, help);
    emit refused(reason, canForce, help);
}

void RunController::refuse(const Error& error)
{
    refuse(text(error.message), false, error.help);
}

void RunController::handleLaunched(const Result<CreatedRunPtr>& made)
{
    if (!made) return refuse(made.error());
    watch(std::move((*made)->run));
    m_runLaunchOptions = m_launchOptions;
    if (!m_runLaunchOptions.output.empty()) m_run->setOutput(m_runLaunchOptions.output);
    qCInfo(appLog, "launched %s", m_run->record().id.c_str());
    emit runChanged(RunChange::launched);
    m_run->begin();
    listRuns();
}

void RunController::attach(const QString& id)
{
    m_reopen.start([makeOptions = optionsMaker(), secrets = m_secrets, id = id.toStdString(),
                    owner = thread()](const Progress&) -> Result<CreatedRunPtr> {
        RunOptions options = LOCKSTEP_TRY(makeOptions());
        options.secrets = secrets;
        return makeKnownRun(id, options, owner);
    });
}

void RunController::handleReopened(const Result<CreatedRunPtr>& made)
{
    if (!made) return m_page.setMessage(text(made.error().message), true, made.error().help);
    m_options = (*made)->options;
    watch(std::move((*made)->run));
    m_endsWhileAttached = !(*made)->isOver;
    m_run->begin();
    emit runChanged(RunChange::attached);
}

void RunController::watch(std::unique_ptr<Run> run)
{
    stopWatching();
    m_run = std::move(run);
    m_runLaunchOptions = {};
    m_endsWhileAttached = true;
    connect(m_run.get(), &Run::ended, this, &RunController::handleEnd);
    m_page.watch(m_run.get());
}

void RunController::stopWatching()
{
    stopFetching();
    m_reopen.cancel();
    m_write.cancel();
    m_page.watch(nullptr);
    if (!m_run) return;
    m_run->disconnect(this);
    m_run->detach();
    m_run.release()->deleteLater(); // deferred, because one of its own signals may be on the call stack
    emit runChanged(RunChange::detached);
    listRuns();
}

EndOptions RunController::endOptions() const
{
    EndOptions options = m_page.end()->options();
    if (m_runLaunchOptions.opensAtEnd) {
        options.fetchesAll = options.opens = true;
        options.onlyColumns = false;
    }
    return options;
}

void RunController::handleEnd()
{
    const EndOptions options = endOptions();
    qCInfo(appLog, "run ended: %s", qUtf8Printable(runOutcome(*m_run)));
    listRuns();
    emit runEnded(options.notifies && m_endsWhileAttached);
    const bool wasStarted = std::ranges::any_of(m_run->record().hosts, &HostRecord::wasStarted);
    if (wasStarted && options.fetchesAll)
        return collect({{},
                        options.onlyColumns ? CollectMode::reduced : CollectMode::whole,
                        options.opens ? AfterCollecting::open : AfterCollecting::nothing});
    if (arrivedCount(m_run->ledger()) + unfinishedCount(m_run->ledger()) == 0) showNoReports();
}

void RunController::showNoReports()
{
    m_page.setMessage(
        tr("The run ended without reports. See the hosts and the collection status for the reason."), true);
}

void RunController::fetch(const std::set<size_t>& entries, CollectMode mode)
{
    collect({entries, mode, AfterCollecting::nothing});
}

void RunController::openResults()
{
    if (m_run)
        collect({{},
                 m_page.end()->options().onlyColumns ? CollectMode::reduced : CollectMode::whole,
                 AfterCollecting::openAsRequested});
}

std::filesystem::path RunController::output() const
{
    const RunRecord& record = m_run->record();
    if (!record.output.empty()) return record.output;
    return runFolderOf(record) / (record.id + ".lockstep");
}

// Requests that arrive while another one is carried out wait for it. Those for the same files become one.
void RunController::collect(CollectRequest request)
{
    if (!m_run) return;
    if (m_collector != nullptr) {
        const auto isSame = [&](const CollectRequest& other) {
            return other.entries == request.entries && other.mode == request.mode;
        };
        const auto waiting = std::ranges::find_if(m_collectNext, isSame);
        if (waiting == m_collectNext.end() && !isSame(m_collecting))
            return m_collectNext.push_back(std::move(request));
        CollectRequest& same = waiting != m_collectNext.end() ? *waiting : m_collecting;
        same.then = std::max(same.then, request.then);
        return;
    }
    m_collecting = std::move(request);
    CollectOptions options;
    options.folder = collectionFolderFor(output());
    options.mode = m_collecting.mode;
    if (!m_collecting.entries.empty()) options.chosen = m_collecting.entries;
    m_page.setMessage({}, false);
    m_collector = new Collector(*m_run, options, this);
    connect(m_collector, &Collector::progressChanged, this,
            [this] { m_page.setProgress(m_collector->progress()); });
    connect(m_collector, &Collector::finished, this, &RunController::handleCollected);
    m_page.setProgress(m_collector->progress());
    m_collector->begin();
}

void RunController::stopFetching()
{
    m_collectNext.clear();
    if (m_collector == nullptr) return;
    m_collector->disconnect(this);
    m_collector->cancel();
    m_collector->deleteLater();
    m_collector = nullptr;
    m_page.setProgress(std::nullopt);
}

void RunController::handleCollected()
{
    m_collector->deleteLater();
    m_collector = nullptr;
    m_page.setProgress(std::nullopt);
    showCollected();
    if (m_collectNext.empty()) return;
    CollectRequest next = std::move(m_collectNext.front());
    m_collectNext.pop_front();
    collect(std::move(next));
}

void RunController::showCollected()
{
    const bool anyHere = std::ranges::any_of(
        m_run->ledger().entries(), [](const LedgerEntry& entry) { return !entry.localPath.empty(); });
    const bool anyFound = std::ranges::any_of(m_run->ledger().entries(),
                                              [](const LedgerEntry& entry) { return !entry.path.empty(); });
    if (!anyHere && !anyFound) return showNoReports();
    if (!anyHere)
        return m_page.setMessage(tr("No report could be fetched. See the collection status for the reasons."),
                                 true);
    if (m_collecting.then != AfterCollecting::nothing)
        writeWorkspace(m_collecting.then == AfterCollecting::openAsRequested);
}

// While the run continues, the workspace with the reports collected so far gets a different name.
void RunController::writeWorkspace(bool isRequested)
{
    m_writing = output();
    m_isWritingRequested = isRequested;
    if (m_run->state() != RunState::ended) {
        const std::string part = "-" + std::to_string(arrivedCount(m_run->ledger()));
        m_writing.replace_filename(m_writing.stem().string() + part + ".lockstep");
    }
    m_page.setMessage(tr("Aligning the reports\u2026"), false);
    m_write.start(
        [record = m_run->record(), ledger = m_run->ledger(), path = m_writing](const Progress& progress) {
            return writeRunWorkspace(record, ledger, path, progress);
        });
}

void RunController::handleWritten(const Result<WrittenWorkspace>& written)
{
    if (!written) return m_page.setMessage(text(written.error().message), true, written.error().help);
    QString problems;
    HelpTopic help = HelpTopic::none;
    if (!written->problems.empty()) {
        const QString first = text(written->problems.front().message);
        help = written->problems.front().help;
        problems =
            tr("%n report(s) could not be opened: %1", nullptr, static_cast<int>(written->problems.size()))
                .arg(first);
    }
    m_page.setMessage(problems, true, help);
    emit workspaceWritten(m_writing, m_isWritingRequested);
}

} // namespace lockstep
