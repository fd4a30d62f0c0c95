// SPDX-License-Identifier: Apache-2.0
// Run is one execution of a plan on all its hosts, from the first connection to the last event. It launches
// or resumes the run, reads events, reconnects with back-off and resumes after the last event, and stores the
// record, events and ledger on disk. The object may therefore be deleted at any time; the run itself
// continues on the nodes. A failing host does not stop the others. Used on one thread with an event loop;
// reports everything through signals.
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
    // Number of hosts that connect or start at the same time. By default, sshd rejects more than ten
    // unauthenticated connections.
    size_t parallelHosts = 8;
    // Time after which a host that was not reached counts as unreachable, and a call that receives no data
    // counts as failed.
    int giveUpConnecting_s = 60;
    // Maximum size of stored events of all hosts together, in addition to a small steady rate.
    uint64_t storedEvents_bytes = uint64_t(4) << 30;
    int giveUpLink_s = 24 * 3600; // if a link is lost for longer than this, it is no longer retried; the run
                                  // continues on the host
    // Values entered for this launch; other values come from the session or the environment.
    TextPairs secrets;
    bool startsWithoutSecrets = false; // starts the run even if a secret has no value
    // Hosts that only monitor are finished after this time without new or growing reports: the first value
    // applies while reports are still expected, the second once none are expected.
    double quietReports_s = 30, settledReports_s = 3;
    double firstRetry_s = 1, longestRetry_s = 30;
    // Creates the Remote for a host; replaced in tests. Default: LocalRemote for the address "", otherwise
    // SshRemote.
    std::function<std::shared_ptr<const Remote>(const std::string& address)> makeRemote;
};

class Run : public QObject {
    Q_OBJECT

  public:
    // Creates a new run. `facts` may be empty; they improve the forecast. Returns io if the state folder
    // cannot be written.
    static Result<std::unique_ptr<Run>> create(const SessionConfig& config, const LaunchPlan& plan,
                                               std::span<const HostFacts> facts, RunOptions options);
    // Opens a run that was launched earlier and reads its stored events, which may take a long time. A
    // program with a window therefore calls this function on a worker thread, which then moves the run to its
    // owner's thread.
    static Result<std::unique_ptr<Run>> reopen(const RunRecord& record, RunOptions options);
    ~Run() override;

    // Launches the hosts that were not launched and follows the others. Returns immediately.
    void begin();
    // Sends SIGTERM on all hosts, then SIGKILL after grace_s, so that profilers have time to flush. ended()
    // follows.
    void stop(double grace_s = 30);
    // Returns the latest training step that any host has begun, from its log or its captures; nullopt if none
    // was seen yet.
    std::optional<int64_t> latestStep() const;
    // Calls stop() when a host begins a later step than latestStep(), or ends that step. Returns false and
    // does nothing if no step was seen yet.
    bool stopAfterStep();
    // Returns the step after which the run will be stopped, if stopAfterStep() was called.
    std::optional<int64_t> lastStep() const { return m_lastStep; }
    // Stops watching: the run continues, and no more events arrive. The state becomes detached.
    void detach();

    RunState state() const { return m_state; }
    const RunRecord& record() const { return m_record; }
    const SessionConfig& config() const { return m_config; }
    const RunOptions& options() const { return m_options; }
    std::span<const HostStatus> hosts() const { return m_status; }
    const Ledger& ledger() const { return m_ledger; }
    // Returns the ledger for the collector, which records what it fetched and verified.
    Ledger& ledger() { return m_ledger; }
    void ledgerWasChanged();
    // Returns whether the run's ID was passed to the host's processes in LOCKSTEP_RUN, for the metadata of
    // their captures.
    bool hasPassedRunId(size_t host) const;
    // Returns the client of a host's agent, for collecting. The run also uses it.
    AgentClient* client(size_t host) const;
    // Returns the client of a Slurm node's login node, which sees shared disks; nullptr for other hosts.
    AgentClient* loginClient(size_t host) const;
    // Returns the run's folder on the host, for AgentClient::list().
    std::string agentRunDir(size_t host) const { return m_record.hosts[host].runDir; }
    // Returns the start of the run on the host, in Unix-epoch ns of the host's clock. Older files do not
    // belong to the run. For a Slurm node, returns the launch time on this machine, because programs may
    // start before the agent does.
    int64_t beganOn_ns(size_t host) const;
    // Returns the local file with all events of the host, one JSON object per line, including events from
    // before this object was created.
    std::filesystem::path eventFile(size_t host) const
    {
        return eventFileOf(m_record, m_record.hosts[host].host);
    }
    void setOutput(const std::filesystem::path& output);
    // Releases the nodes that a Slurm job keeps for collecting. Call this function after the collection.
    // nodesReleased() follows.
    void releaseNodes();

  signals:
    void stateChanged(lockstep::RunState state);
    // hosts()[host] changed: state, step, usage or problems. Emitted once for all changes of one event.
    void hostChanged(size_t host);
    // A host has not responded for some time during a call. text: a sentence without the host's name.
    void hostWaits(size_t host, const std::string& text);
    // Hosts were added: the nodes of a Slurm job, once it runs.
    void hostsAdded();
    // Emitted in the order of each host's log, and only once per event, regardless of how often the run is
    // attached. Earlier events are in eventFile().
    void eventArrived(size_t host, const lockstep::RunEvent& event);
    void ledgerChanged();
    // The nodes were released; follows releaseNodes().
    void nodesReleased();
    // All hosts are final. state() is ended.
    void ended();

  private:
    friend class ClockPeering;
    friend class HostRun;
    Run(SessionConfig config, RunRecord record, RunOptions options);
    Status addHost(const HostPlan& plan, std::string planJson, int lastOrder);
    // Forecasts the reports again once a script has started the training, because only its command decides
    // about them. Does nothing if reports were already found.
    void noteLaunch(const RunEvent& event);
    // Adds the nodes of the Slurm job that the event names as hosts.
    void noteJob(const RunEvent& event);
    Status addSlurmNodes(const JobStatus& job);
    void setState(RunState state);
    // queueForTurn() queues a host for its turn to connect, which starts with connectNow(). endTurn() ends
    // the turn.
    void queueForTurn(HostRun* host);
    void endTurn(HostRun* host);
    void noteEvent(size_t host, const RunEvent& event);
    void replayEvent(size_t host, const RunEvent& event);
    void noteFinal(size_t host);
    void releaseOrders();
    // Finishes the hosts whose commands do not report an end: either all of their commands have ended, or
    // they have none. Does so once the run of every other host is over and no report changes any more.
    void finishIdleHosts();
    bool onlyWatchersAreLeft() const;
    // Returns the order up to which every host may start commands, or nullopt if no command waits for another
    // host.
    std::optional<int> firstOrder() const;
    void saveLedger(); // Saves the ledger on another thread.
    void noteSaved(const Status& saved);
    Status saveNow(); // Saves the ledger and the record; returns the status of saving the record.

    SessionConfig m_config;
    std::vector<HostFacts> m_facts; // that the run was planned with
    RunRecord m_record;
    RunOptions m_options;
    RunState m_state = RunState::idle;
    SecretValues m_secrets; // stored only in memory
    std::vector<HostStatus> m_status;
    Ledger m_ledger;
    SeenFiles m_seen; // keyed by inode and time
    std::vector<std::unique_ptr<HostRun>> m_hosts;
    std::deque<HostRun*> m_queue;
    std::set<HostRun*> m_turns;
    QTimer m_saveLedger{this};
    LatestFile m_ledgerFile;
    LatestFile m_recordFile;
    QTimer m_idleTimer{this}; // runs while only monitoring hosts are left and no report changes
    RunLock m_lock;
    std::optional<int64_t> m_lastStep; // see stopAfterStep()
    bool m_isFinishing = false;
    bool m_isSavingFailed = false;
};

} // namespace lockstep
