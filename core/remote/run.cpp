// SPDX-License-Identifier: Apache-2.0
#include "core/remote/run.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include <QDateTime>

#include "core/base/mapped_file.h"
#include "core/base/text.h"
#include "core/remote/agent_plan.h"
#include "core/remote/clock_exchange.h"
#include "core/remote/clock_peering.h"
#include "core/remote/host_probe.h"
#include "core/remote/host_run.h"
#include "core/remote/run_pruning.h"
#include "core/remote/run_record.h"
#include "core/remote/slurm_remote.h"
#include "core/session/recipes/capture_environment.h"
#include "core/session/script_launch.h"
#include "core/session/session_yaml.h"

namespace lockstep {

namespace {

namespace fs = std::filesystem;

std::string planFileName(std::string_view host)
{
    return "plan-" + fileNameOf(host) + ".json";
}

// Returns the highest order of all commands, or 0 if there are none.
int lastOrderOf(std::span<const HostPlan> plans)
{
    int last = 0;
    for (const HostPlan& plan : plans) {
        for (const PlannedCommand& command : plan.commands)
            last = std::max(last, command.order);
    }
    return last;
}

// Returns the content of a file. Errors: io.
Result<std::string> textOfFile(const fs::path& path)
{
    const MappedFile file = LOCKSTEP_TRY(MappedFile::open(path));
    return std::string(file.text());
}

// Writes session.yaml, facts.json and plan.json. Errors: io.
Status writeRunFiles(const fs::path& folder, const SessionConfig& config, const LaunchPlan& plan,
                     std::span<const HostFacts> facts)
{
    LOCKSTEP_TRY(replaceFile(folder / "session.yaml", canonicalYaml(config)));
    std::string text;
    for (const HostFacts& one : facts)
        text += (text.empty() ? "[" : ",\n") + jsonFromHostFacts(one);
    LOCKSTEP_TRY(replaceFile(folder / "facts.json", text.empty() ? "[]" : text + "]"));
    return replaceFile(folder / "plan.json", jsonFromPlan(plan));
}

} // namespace

namespace fs = std::filesystem;

namespace {

constexpr size_t kMaxNodes = 8192; // maximum number of nodes of a Slurm job
constexpr int kSaveLedger_ms = 500;
constexpr size_t kEntriesPerMs =
    10; // a long ledger is saved less often, so that saving takes only a small share of the time

// Returns whether the host's log contains a request to stop the run.
bool isStopping(const HostStatus& status)
{
    return status.capture == "stopping";
}

std::string hostOutcome(const HostStatus& status)
{
    if (status.state == HostState::ended) return "the run was stopped";
    return status.state == HostState::failed ? "the run failed on its host" : "its host cannot be reached";
}

} // namespace

Run::Run(SessionConfig config, RunRecord record, RunOptions options)
    : m_config(std::move(config)), m_record(std::move(record)), m_options(std::move(options)),
      m_ledgerFile(runFolderOf(m_record) / "ledger.json"), m_recordFile(runFolderOf(m_record) / "record.json")
{
    const TextPairs& typed = m_options.secrets;
    m_secrets = secretValues(m_config, [&typed](const char* name) {
        const auto found = std::ranges::find(typed, name, [](const auto& pair) { return pair.first; });
        return found != typed.end() ? found->second.c_str() : std::getenv(name);
    });
    new ClockPeering(*this); // Qt child, deleted with this object
    m_saveLedger.setSingleShot(true);
    connect(&m_saveLedger, &QTimer::timeout, this, &Run::saveLedger);
    m_idleTimer.setSingleShot(true);
    connect(&m_idleTimer, &QTimer::timeout, this, [this] {
        for (const auto& host : m_hosts) {
            if (host->stays()) host->finish();
        }
    });
}

Run::~Run()
{
    if (m_saveLedger.isActive() || !m_ledgerFile.isWritten() || !m_recordFile.isWritten())
        static_cast<void>(saveNow());
}

Result<std::unique_ptr<Run>> Run::create(const SessionConfig& config, const LaunchPlan& plan,
                                         std::span<const HostFacts> facts, RunOptions options)
{
    RunRecord record;
    record.session = config.name;
    record.started_ns = epochNow_ns();
    record.id = newRunId(config.name, record.started_ns);
    std::unique_ptr<Run> run(new Run(config, std::move(record), std::move(options)));
    const fs::path folder = runFolderOf(run->m_record);
    run->m_lock = LOCKSTEP_TRY(RunLock::take(run->m_record));
    LOCKSTEP_TRY(writeRunFiles(folder, config, plan, facts));
    run->m_facts.assign(facts.begin(), facts.end());
    run->m_ledger = Ledger(forecastFiles(config, facts));
    const int lastOrder = lastOrderOf(plan.hosts);
    for (HostPlan host : plan.hosts) {
        host.reportFolders = reportRoots(config, host);
        setRunId(host, run->m_record.id);
        const std::string runDir = agentRunsFolder(host, findHostFacts(facts, host.host)) + run->m_record.id;
        std::string hostFolder = fileNameOf(host.host);
        if (const LauncherKind kind = config.launcher.kind;
            kind == LauncherKind::slurm || kind == LauncherKind::rayJob) {
            const JobOptions jobOptions{run->m_record.id,
                                        quotedAgentPathOf(run->m_options.agent, host.agentFolder), runDir,
                                        config.launcher.holdNodes_s.value_or(kHoldNodes_s)};
            host = LOCKSTEP_TRY(jobPlan(plan, host, jobOptions));
            hostFolder.insert(0, "login@"); // a login node may also be a node of the job
        }
        const std::string json = jsonFromHostPlan(plan, host);
        run->m_record.hosts.push_back(
            {host.host, host.address, runDir + "/" + hostFolder, "", false, host.agentFolder});
        LOCKSTEP_TRY(replaceFile(folder / planFileName(host.host), json));
        LOCKSTEP_TRY(run->addHost(host, json, lastOrder));
    }
    LOCKSTEP_TRY(run->saveNow());
    const RunPruning limit = pruneRuns(knownRuns(), run->m_record.started_ns);
    if (!limit.removed.empty() && !run->m_status.empty()) {
        run->m_status.front().problems.push_back(
            {run->m_record.started_ns, "old_runs_removed",
             "deleted the records of ended runs: " + std::to_string(limit.removed.size()) + " (" +
                 limit.removed.front() + " to " + limit.removed.back() +
                 "), because all records together took more than " + byteText(kMaxStoredRuns_bytes),
             "", false});
    }
    return run;
}

Result<std::unique_ptr<Run>> Run::reopen(const RunRecord& record, RunOptions options)
{
    const fs::path folder = runFolderOf(record);
    const SessionConfig config = LOCKSTEP_TRY(loadSession(folder / "session.yaml"));
    std::unique_ptr<Run> run(new Run(config, record, std::move(options)));
    run->m_lock = LOCKSTEP_TRY(RunLock::take(record));
    if (auto facts = loadHostFacts(folder / "facts.json")) run->m_facts = *std::move(facts);
    const std::string ledger = LOCKSTEP_TRY(textOfFile(folder / "ledger.json"));
    run->m_ledger = LOCKSTEP_TRY(ledgerFromJson(ledger));
    std::vector<HostPlan> plans;
    const auto readPlan = [&](size_t i) -> Result<std::string> {
        std::string json = LOCKSTEP_TRY(textOfFile(folder / planFileName(run->m_record.hosts[i].host)));
        plans.push_back(LOCKSTEP_TRY(hostPlanFromJson(json)));
        return json;
    };
    std::vector<std::string> texts;
    for (size_t i = 0; i < record.hosts.size(); ++i)
        texts.push_back(LOCKSTEP_TRY(readPlan(i)));
    const int lastOrder = lastOrderOf(plans);
    // Events of the login node may add nodes that are not in the record yet.
    for (size_t i = 0; i < run->m_record.hosts.size(); ++i) {
        if (i == texts.size()) texts.push_back(LOCKSTEP_TRY(readPlan(i)));
        LOCKSTEP_TRY(run->addHost(plans[i], std::move(texts[i]), lastOrder));
    }
    return run;
}

Status Run::addHost(const HostPlan& plan, std::string planJson, int lastOrder)
{
    const size_t index = m_hosts.size();
    HostStatus status;
    status.host = m_record.hosts[index].host;
    status.address = m_record.hosts[index].address;
    m_status.push_back(std::move(status));
    const HostRecord& record = m_record.hosts[index];
    std::shared_ptr<const Remote> remote = makeRemote(m_options, record.address);
    if (!record.slurmNode.empty())
        remote = std::make_shared<SlurmRemote>(std::move(remote), m_record.slurmJob, record.slurmNode,
                                               record.slurmComponent);
    const bool stays = record.slurmNode.empty() && lastOrderOf(std::span(&plan, 1)) < lastOrder;
    m_hosts.push_back(
        std::make_unique<HostRun>(*this, index, plan, std::move(planJson), stays, std::move(remote)));
    if (!plan.secrets.empty()) {
        const bool mayLackSecrets = m_options.startsWithoutSecrets;
        m_hosts.back()->client()->setSecrets(m_secrets.values,
                                             mayLackSecrets ? m_secrets.missing : std::vector<std::string>());
    }
    return m_hosts.back()->replayEvents();
}

void Run::setState(RunState state)
{
    if (m_state == state) return;
    m_state = state;
    emit stateChanged(state);
}

void Run::begin()
{
    setState(RunState::launching);
    for (const auto& host : m_hosts)
        host->begin();
    // A run that is reopened after its end has nothing left to wait for. The call is queued, so that callers
    // can first connect to the signals.
    QMetaObject::invokeMethod(
        this,
        [this] {
            if (!m_status.empty()) noteFinal(0);
        },
        Qt::QueuedConnection);
}

void Run::queueForTurn(HostRun* host)
{
    if (std::ranges::find(m_queue, host) == m_queue.end() && !m_turns.contains(host)) m_queue.push_back(host);
    endTurn(nullptr);
}

void Run::endTurn(HostRun* host)
{
    m_turns.erase(host);
    while (!m_queue.empty() && m_turns.size() < m_options.parallelHosts) {
        HostRun* next = m_queue.front();
        m_queue.pop_front();
        m_turns.insert(next);
        QMetaObject::invokeMethod(next, &HostRun::connectNow, Qt::QueuedConnection);
    }
}

void Run::noteEvent(size_t host, const RunEvent& event)
{
    if (m_seen.noteEvent(m_ledger, m_status[host].host, event, isStopping(m_status[host])))
        ledgerWasChanged();
    if (m_state == RunState::launching) setState(RunState::running);
    noteLaunch(event);
    emit eventArrived(host, event);
    noteJob(event);
    if (event.kind == EventKind::step && m_lastStep && event.step &&
        *event.step >= *m_lastStep + (event.isStepEnd ? 0 : 1)) {
        m_lastStep.reset();
        stop();
    }
    if (event.kind == EventKind::started || event.kind == EventKind::exit) releaseOrders();
    finishIdleHosts();
    if (event.kind == EventKind::report && m_idleTimer.isActive()) m_idleTimer.start();
}

void Run::noteLaunch(const RunEvent& event)
{
    if (event.kind != EventKind::launch || event.outcome != "profiled" || !m_ledger.entries().empty()) return;
    m_ledger = Ledger(forecastFiles(resolvedSession(m_config, event.argv), m_facts));
    ledgerWasChanged();
}

// Applies a stored event. The stored ledger may be older than the events, because it is saved less often.
void Run::replayEvent(size_t host, const RunEvent& event)
{
    noteLaunch(event);
    noteJob(event);
    if (event.kind != EventKind::report || event.isOld) return;
    const std::string& name = m_status[host].host;
    const auto known = m_ledger.find(name, event.path);
    if (known && !m_ledger.entries()[*known].localPath.empty() && !event.isGone) {
        m_seen.noteName(m_ledger, name, event);
    } else {
        m_seen.noteReport(m_ledger, name, event, isStopping(m_status[host]));
    }
}

// Releases commands once all commands of lower order have ended on every host that is not in a final state.
void Run::releaseOrders()
{
    for (const auto& host : m_hosts) {
        const auto hostOrder = host->waitingOrder();
        if (!hostOrder) continue;
        const bool mustWait = std::ranges::any_of(m_hosts, [&](const auto& other) {
            const auto open = other->openOrder();
            const auto at = static_cast<size_t>(&other - m_hosts.data());
            return !isFinal(m_status[at].state) && open && *open < *hostOrder;
        });
        if (!mustWait) host->release(*hostOrder);
    }
}

bool Run::onlyWatchersAreLeft() const
{
    bool hasWatcher = false;
    for (size_t i = 0; i < m_hosts.size(); ++i) {
        if (isFinal(m_status[i].state)) continue;
        if (!m_hosts[i]->stays() || m_hosts[i]->openOrder()) return false;
        hasWatcher = true;
    }
    return hasWatcher;
}

void Run::finishIdleHosts()
{
    if (m_idleTimer.isActive() || m_isFinishing || !onlyWatchersAreLeft()) return;
    const auto counts = m_ledger.counts();
    const auto count = [&counts](LedgerState state) { return counts[static_cast<size_t>(state)]; };
    const bool isExpecting =
        count(LedgerState::expected) + count(LedgerState::capturing) + count(LedgerState::flushing) > 0;
    const double wait_s = isExpecting ? m_options.quietReports_s : m_options.settledReports_s;
    m_isFinishing = true;
    m_idleTimer.start(static_cast<int>(wait_s * 1000));
}

void Run::noteJob(const RunEvent& event)
{
    if (!event.job || m_config.launcher.kind != LauncherKind::slurm) return;
    if (const auto added = addSlurmNodes(*event.job); !added)
        m_status[0].problems.push_back({event.time_ns, "no_space_here", added.error().message, "", false});
}

Status Run::addSlurmNodes(const JobStatus& job)
{
    // The events of the recorded hosts are still being read.
    const bool isReplaying = m_state == RunState::idle;
    for (const JobNode& node : job.nodes) {
        const auto isKnown = [&node](const HostRecord& host) { return host.slurmNode == node.name; };
        if (std::ranges::any_of(m_record.hosts, isKnown)) continue;
        if (m_record.hosts.size() > kMaxNodes)
            return makeError(ErrorKind::corrupt, "its job has more than " + std::to_string(kMaxNodes) +
                                                     " nodes; the others are not monitored");
        m_record.slurmJob = job.job;
        const HostPlan& login = m_hosts.empty() ? HostPlan{} : m_hosts.front()->plan();
        const HostRecord loginRecord = m_record.hosts.front();
        const HostPlan plan = slurmNodePlan(login, node.name);
        const std::string json = jsonFromHostPlan({}, plan);
        const std::string runDir =
            loginRecord.runDir.substr(0, loginRecord.runDir.rfind('/') + 1) + node.name;
        const std::string name = node.name == loginRecord.host ? node.name + " (node)" : node.name;
        m_record.hosts.push_back(
            {name, loginRecord.address, runDir, node.name, true, loginRecord.agentFolder, node.component});
        LOCKSTEP_TRY(replaceFile(runFolderOf(m_record) / planFileName(name), json));
        LOCKSTEP_TRY(m_recordFile.saveNow(jsonFromRunRecord(m_record)));
        if (isReplaying) continue; // reopen() adds this host together with the others
        LOCKSTEP_TRY(addHost(plan, json, 0));
        emit hostsAdded();
        m_hosts.back()->begin();
    }
    return {};
}

void Run::releaseNodes()
{
    if (m_config.launcher.kind != LauncherKind::slurm || m_hosts.empty()) {
        QMetaObject::invokeMethod(this, &Run::nodesReleased, Qt::QueuedConnection);
        return;
    }
    const HostPlan& login = m_hosts.front()->plan();
    RemoteCall* call = m_hosts.front()->client()->remote()->call(slurmReleaseText(login), this);
    connect(call, &RemoteCall::finished, call, [this, call] {
        call->deleteLater();
        emit nodesReleased();
    });
}

std::optional<int> Run::firstOrder() const
{
    std::set<int> orders;
    for (const auto& host : m_hosts) {
        for (const PlannedCommand& command : host->plan().commands)
            orders.insert(command.order);
    }
    if (m_hosts.size() < 2 || orders.size() < 2) return std::nullopt;
    return *orders.begin();
}

void Run::noteFinal(size_t host)
{
    const HostStatus& status = m_status[host];
    if (isFinal(status.state)) {
        // The reason why a run failed is shown once, with the host.
        m_ledger.closeHost(status.host, status.state == HostState::ended && status.reason.empty()
                                            ? "the program ended without writing it"
                                            : "not written: " + hostOutcome(status));
        ledgerWasChanged();
        releaseOrders();
        finishIdleHosts();
    }
    if (m_state == RunState::ended || m_state == RunState::detached || m_state == RunState::idle) return;
    if (!std::ranges::all_of(m_status, [](const HostStatus& one) { return isFinal(one.state); })) return;
    m_ledger.closeHost("", "no host wrote it");
    saveLedger();
    setState(RunState::ended);
    emit ended();
}

void Run::stop(double grace_s)
{
    if (m_state == RunState::ended || m_state == RunState::detached) return;
    setState(RunState::stopping);
    for (const auto& host : m_hosts)
        host->stop(grace_s);
}

std::optional<int64_t> Run::latestStep() const
{
    std::optional<int64_t> step;
    for (const HostStatus& host : m_status)
        step = std::max(step, host.step);
    return step;
}

bool Run::stopAfterStep()
{
    m_lastStep = latestStep();
    return m_lastStep.has_value();
}

void Run::detach()
{
    for (const auto& host : m_hosts)
        host->detach();
    static_cast<void>(saveNow());
    m_idleTimer.stop();
    m_lock = RunLock();
    if (m_state != RunState::ended) setState(RunState::detached);
}

void Run::ledgerWasChanged()
{
    const size_t entries = m_ledger.entries().size();
    if (!m_saveLedger.isActive())
        m_saveLedger.start(kSaveLedger_ms + static_cast<int>(entries / kEntriesPerMs));
    emit ledgerChanged();
}

void Run::saveLedger()
{
    m_saveLedger.stop();
    // A single copy of the ledger, shared by all copies of the function object that are made when it is
    // passed to the other thread.
    m_ledgerFile.save([ledger = std::make_shared<const Ledger>(m_ledger)] { return jsonFromLedger(*ledger); },
                      [this](const Status& saved) { noteSaved(saved); });
}

// Reports the first failure. No data is lost, because the ledger is written again with the next change, and
// the hosts have all data.
void Run::noteSaved(const Status& saved)
{
    if (saved || std::exchange(m_isSavingFailed, true) || m_status.empty()) return;
    m_status.front().problems.push_back({epochNow_ns(), "no_space_here",
                                         "the collection status of the run: " + saved.error().message, "",
                                         false});
    emit hostChanged(0);
}

Status Run::saveNow()
{
    m_saveLedger.stop();
    static_cast<void>(m_ledgerFile.saveNow(jsonFromLedger(m_ledger)));
    return m_recordFile.saveNow(jsonFromRunRecord(m_record));
}

bool Run::hasPassedRunId(size_t host) const
{
    return hasRunId(m_hosts[host]->plan(), m_record.id);
}

AgentClient* Run::client(size_t host) const
{
    return m_hosts[host]->client();
}

AgentClient* Run::loginClient(size_t host) const
{
    return m_hosts[host]->isSlurmNode() ? m_hosts.front()->client() : nullptr;
}

int64_t Run::beganOn_ns(size_t host) const
{
    // File times may be one tick of the Linux kernel behind the clock.
    constexpr int64_t kFileTimeTick_ns = 10'000'000;
    constexpr int64_t kStartMargin_ns = 60'000'000'000;
    const HostStatus& now = m_status[host];
    const int64_t firstEvent_ns = now.firstEvent_ns - kFileTimeTick_ns;
    if (m_record.hosts[host].slurmNode.empty()) return firstEvent_ns;
    if (!now.clockOffset_ns) return firstEvent_ns - kStartMargin_ns;
    return std::min(firstEvent_ns, m_record.started_ns + *now.clockOffset_ns - now.clockError_ns.value_or(0));
}

void Run::setOutput(const fs::path& output)
{
    m_record.output = output;
    m_recordFile.save([record = m_record] { return jsonFromRunRecord(record); });
}

} // namespace lockstep
