// SPDX-License-Identifier: Apache-2.0
// Run: one execution of a plan over all its hosts, from the first connection to the last event. It launches
// or picks up, follows, reconnects with back-off from the last event seen, and keeps record, events and
// ledger on disk, so that it may be deleted at any moment: the run itself goes on on the nodes. A host that
// fails does not stop the others. Lives in one thread with an event loop; everything is told by signals.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <QObject>
#include <QTimer>

#include "core/remote/agent_client.h"
#include "core/remote/latest_file.h"
#include "core/remote/ledger.h"
#include "core/remote/run_record.h"
#include "core/remote/run_status.h"
#include "core/remote/seen_files.h"
#include "core/remote/ssh_remote.h"
#include "core/session/secrets.h"

namespace lockstep {

class HostRun;

struct RunOptions {
    SshOptions ssh;
    AgentProgram agent;
    size_t parallelHosts =
        8; // connecting or starting at once; sshd refuses more than ten newcomers at a time
    // A host never reached in this time is unreachable; a host that is silent for this time in a call has not
    // answered it.
    int giveUpConnecting_s = 60;
    // Events of all hosts together that are stored here, besides a small steady amount.
    uint64_t storedEvents_bytes = uint64_t(4) << 30;
    int giveUpLink_s = 24 * 3600; // a link lost for longer is given up; the run goes on there
    TextPairs secrets; // values typed for this launch; others come from the session or the environment
    bool startsWithoutSecrets = false; // though nobody gives one a value
    // How long no report may appear or grow before hosts that only watch are told to finish: when reports are
    // still expected, and when none is.
    double quietReports_s = 30, settledReports_s = 3;
    double firstRetry_s = 1, longestRetry_s = 30;
    // Makes the seam for a host; replaced in tests. Default: SshRemote, LocalRemote where the address is "".
    std::function<std::shared_ptr<const Remote>(const std::string& address)> makeRemote;
};

class Run : public QObject {
    Q_OBJECT

  public:
    // A new run. facts may be empty; they sharpen the forecast. io when the state folder cannot be written.
    static Result<std::unique_ptr<Run>> create(const SessionConfig& config, const LaunchPlan& plan,
                                               std::span<const HostFacts> facts, RunOptions options);
    // A run that was started before; events kept on disk are read back at once, then the hosts are followed.
    // Takes as long as reading them: a program with a window calls it on a worker, which then moves the run
    // to the thread that is to own it.
    static Result<std::unique_ptr<Run>> reopen(const RunRecord& record, RunOptions options);
    ~Run() override;

    // Launches what has not been launched and follows what has. Returns at once.
    void begin();
    // SIGTERM everywhere, grace_s for flushing, then SIGKILL. ended follows.
    void stop(double grace_s = 30);
    // stop() when the next training step begins on any host; at once where no step was ever seen.
    void stopAfterStep();
    // Lets go: nothing is stopped, events come no more. The state is detached.
    void detach();

    RunState state() const { return m_state; }
    const RunRecord& record() const { return m_record; }
    const SessionConfig& config() const { return m_config; }
    const RunOptions& options() const { return m_options; }
    std::span<const HostStatus> hosts() const { return m_status; }
    const Ledger& ledger() const { return m_ledger; }
    // For the collector, which notes what it fetched and proved.
    Ledger& ledger() { return m_ledger; }
    void ledgerWasChanged();
    // The host's processes were told the run's id as LOCKSTEP_RUN, for their captures' metadata.
    bool hasNamedItself(size_t host) const;
    // Client for a host's agent, for collecting; shared with the run.
    AgentClient* client(size_t host) const;
    // Of the login node of a Slurm node, which sees the disks that both share; nullptr for other hosts.
    AgentClient* loginClient(size_t host) const;
    // The run's folder on the host, what list() is asked about.
    std::string agentRunDir(size_t host) const { return m_record.hosts[host].runDir; }
    // Files written there before are not of this run; Unix epoch, the host's clock. A Slurm node's programs
    // may begin before its agent does, so that there it is the time at which the run was begun here.
    int64_t beganOn_ns(size_t host) const;
    // The host's events as kept here, one JSON object a line: what was told before this object was made, too.
    std::filesystem::path eventFile(size_t host) const
    {
        return eventFileOf(m_record, m_record.hosts[host].host);
    }
    void setOutput(const std::filesystem::path& output);
    // All that is wanted was collected: a Slurm job that keeps its nodes for that ends now. nodesLetGo()
    // follows.
    void letGoOfNodes();

  signals:
    void stateChanged(lockstep::RunState state);
    // hosts()[host] changed: state, step, use, problems. Several changes of one event come as one signal.
    void hostChanged(size_t host);
    // A host is silent though a call to it is open: a sentence without the host's name.
    void hostWaits(size_t host, const std::string& text);
    // Hosts were added: nodes of a Slurm job, once it runs.
    void hostsAdded();
    // In the order of each host's log; each once over all attachments. Earlier ones are in eventFile().
    void eventArrived(size_t host, const lockstep::RunEvent& event);
    void ledgerChanged();
    // The answer to letGoOfNodes().
    void nodesLetGo();
    // All hosts are final. state() is ended.
    void ended();

  private:
    friend class ClockIntroduction;
    friend class HostRun;
    Run(SessionConfig config, RunRecord record, RunOptions options);
    Status addHost(const HostPlan& plan, std::string planJson, int lastOrder);
    // Adds the nodes of the Slurm job that the event names as hosts.
    void noteJob(const RunEvent& event);
    Status addSlurmNodes(const JobStatus& job);
    void setState(RunState state);
    // For its hosts: a turn to connect, given by calling connectNow(), and its end.
    void queueForTurn(HostRun* host);
    void endTurn(HostRun* host);
    void noteEvent(size_t host, const RunEvent& event);
    void recallEvent(size_t host, const RunEvent& event);
    void noteFinal(size_t host);
    void releaseOrders();
    // Hosts whose commands tell nothing of the end (all have ended, or there are none) finish once every
    // other host's run is over and reports are quiet.
    void finishIdleHosts();
    bool onlyWatchersAreLeft() const;
    // The order that every host may begin with; none where nothing has to wait for another host.
    std::optional<int> firstOrder() const;
    void saveLedger(); // soon, beside
    void noteSaved(const Status& saved);
    Status saveNow(); // ledger and record; the record's outcome

    SessionConfig m_config;
    RunRecord m_record;
    RunOptions m_options;
    RunState m_state = RunState::idle;
    SecretValues m_secrets; // in memory only
    std::vector<HostStatus> m_status;
    Ledger m_ledger;
    SeenFiles m_seen; // by inode and stamp
    std::vector<std::unique_ptr<HostRun>> m_hosts;
    std::deque<HostRun*> m_queue;
    std::set<HostRun*> m_turns;
    QTimer m_saveLedger{this};
    LatestFile m_ledgerFile;
    LatestFile m_recordFile;
    QTimer m_quiet{this}; // runs while only watchers are left and no report comes
    RunLock m_lock;
    bool m_stopsAtNextStep = false;
    bool m_isFinishing = false;
    bool m_isSavingFailed = false;
};

} // namespace lockstep
