// SPDX-License-Identifier: Apache-2.0
// HostRun is one host's part of a run. It owns the connection, reads the host's events, and executes the
// commands of the state machine (host_machine.h). Internal to Run, which owns it; used on the run's thread.
#pragma once

#include <memory>
#include <set>
#include <string>

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include "core/remote/event_file.h"
#include "core/remote/host_machine.h"
#include "core/remote/run.h"

namespace lockstep {

class HostRun : public QObject {
    Q_OBJECT

  public:
    // All QObject members are children, so that they move to another thread with the run.
    HostRun(Run& run, size_t index, HostPlan plan, std::string planJson, bool stays,
            std::shared_ptr<const Remote> remote);

    // Applies the stored events to the status. Returns io if the event file cannot be opened.
    Status replayEvents();
    void begin();
    // Connects; called when it is the host's turn, see Run::queueForTurn().
    void connectNow();
    void stop(double grace_s);
    // Ends the monitoring of a host whose commands never report an end; see stays() and
    // Run::finishIdleHosts().
    void finish();
    void detach();
    // Starts the commands up to this order, which wait for other hosts.
    void release(int order);

    // Appends a line of this program to the event file. Its seq is 0, so that it is never taken for an event
    // of the host.
    void appendLine(const std::string& line);
    AgentClient* client() { return &m_client; }
    // Returns the lowest order with commands on this host that have not ended; nullopt if none are left.
    std::optional<int> openOrder() const;
    // Returns whether the host's commands never report an end. Such a host is finished once the other hosts
    // are.
    bool stays() const { return m_stays; }
    // Returns the order of the commands that the agent holds back.
    std::optional<int> waitingOrder() const { return m_waitingOrder; }
    const HostPlan& plan() const { return m_plan; }
    // Returns whether this is a node of a Slurm job. Its agent starts and ends with the job.
    bool isSlurmNode() const { return !m_run.m_record.hosts[m_index].slurmNode.empty(); }

  private:
    HostStatus& status() { return m_run.m_status[m_index]; }
    HostRecord& record() { return m_run.m_record.hosts[m_index]; }
    void setState(HostState state, std::string reason = {}, HelpTopic help = HelpTopic::none);
    // Returns the current conditions. The conditions that depend on an input (isJobOver, mayRetry, isSuccess)
    // are always false here.
    HostConditions conditions() const;
    // Passes an input to the state machine, enters the next state and executes the command. `reason` is shown
    // with the state. Followed states show followedReason() instead. `help` explains the reason.
    void step(HostInput input, std::string reason = {}) { step(input, std::move(reason), conditions()); }
    void step(HostInput input, std::string reason, const HostConditions& now,
              HelpTopic help = HelpTopic::none);
    void executeCommand(HostCommand command);
    // Returns the sentence about the host's job that a followed state shows, or "" if there is none.
    std::string followedReason() const;
    void install();
    void installLibrary();
    void startPlan();
    void follow();
    void sendStop();
    void readClocks();
    // Handles an event. Returns false if the event is rejected because its sequence number was already seen
    // or is impossible.
    bool take(const RunEvent& event, std::string_view line);
    void store(const RunEvent& event, std::string_view line);
    int64_t age_s() const; // Returns the age of the run.
    // Returns whether the host sent more data than a run of this age can generate.
    bool exceedsLimits() const;
    // Returns the maximum size of this host's stored events.
    uint64_t storable_bytes() const;
    void handleWaiting(const RunEvent& event);
    void noteWait(const std::string& text);
    void noteAlive();
    // Adds a problem about skipped or unstored events, once.
    void reportSkipped();
    void apply(const RunEvent& event);
    void applyExit(const RunEvent& event);
    void addProblem(RunProblem problem);
    void endRun(const RunEvent& event);
    void fail(const Error& error);
    // Returns whether another attempt may succeed and the timeout for attempts has not been reached.
    bool mayRetry(const Error& error);
    void waitForRetry();
    void readOverLogin();
    std::string unreachableReason(std::string reason) const;

    Run& m_run;
    size_t m_index;
    HostPlan m_plan;
    std::string m_planJson;
    AgentClient m_client;
    AgentClient* m_overLogin = nullptr; // client that reads the events of a Slurm node once its job has ended
    EventFile m_events;
    QTimer m_retry;
    QElapsedTimer m_failingSince;
    bool m_hasTimedOut = false;     // the last failure occurred after the timeout
    int m_tries = 0;                // number of consecutive failed attempts
    int m_agentFailures = 0;        // number of consecutive failures of the agent over a working link
    bool m_hasReceivedEvent = true; // an event arrived since the last failure
    bool m_isWaitShown = false;     // status().reason reports that the host is silent
    bool m_isStartUnknown = false;  // the response to the start request was lost
    uint64_t m_received = 0, m_received_bytes = 0; // events received by this program
    QElapsedTimer m_waitsForSpace;                 // started when the agent reported that its disk is full
    bool m_isDetached = false;
    std::optional<double> m_stopGrace_s; // grace period, if a stop was requested
    bool m_isStopSent = false;
    bool m_stays = false;
    bool m_isFinishing = false, m_isFinishSent = false;
    std::optional<int> m_waitingOrder;
    int m_releasedOrder = 0;
    std::set<int64_t> m_endedCommands;
    std::string m_exitReason; // reason reported by the command that failed
};

} // namespace lockstep
