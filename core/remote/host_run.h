// SPDX-License-Identifier: Apache-2.0
// HostRun is one host's part of a run. It owns the connection, reads the host's events, and executes the
// commands of the state machine (host_machine.h). Internal to Run, which owns it; lives in the run's thread.
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
    // All that it holds is its child, so that it goes with the run to another thread.
    HostRun(Run& run, size_t index, HostPlan plan, std::string planJson, bool stays,
            std::shared_ptr<const Remote> remote);

    // Takes the events kept on disk into the status. io when the event file cannot be opened.
    Status recall();
    void begin();
    // Its turn has come; see Run::queueForTurn().
    void connectNow();
    void stop(double grace_s);
    // Ends the watching where it stays; see Run::finishIdleHosts().
    void finish();
    void detach();
    // Lets commands up to this order begin.
    void release(int order);

    // A line of this program's own for the event file, of seq 0: never taken for one of the host's.
    void keepLine(const std::string& line);
    AgentClient* client() { return &m_client; }
    // The least order whose commands have not all ended here; empty when there are none left.
    std::optional<int> openOrder() const;
    // Nothing that is started here tells when it is done: it is told so once the other hosts are.
    bool stays() const { return m_stays; }
    // The order that the agent holds back.
    std::optional<int> waitingOrder() const { return m_waitingOrder; }
    const HostPlan& plan() const { return m_plan; }
    // A node of a Slurm job: its agent came with the job and ends with it.
    bool isSlurmNode() const { return !m_run.m_record.hosts[m_index].slurmNode.empty(); }

  private:
    HostStatus& status() { return m_run.m_status[m_index]; }
    HostRecord& record() { return m_run.m_record.hosts[m_index]; }
    void setState(HostState state, std::string reason = {});
    // Returns the current conditions. Those of single inputs (isJobOver, mayRetry, isGood) are false.
    HostConditions conditions() const;
    // Passes an input to the state machine, enters the next state and executes the command. reason: shown
    // with the state, except for followed states, which show followedReason().
    void step(HostInput input, std::string reason = {});
    void step(HostInput input, std::string reason, const HostConditions& now);
    void carryOut(HostCommand command);
    // Returns the sentence about the host's job that a followed state shows; "" where there is none.
    std::string followedReason() const;
    void install();
    void putLibrary();
    void startPlan();
    void follow();
    void sendStop();
    void readClocks();
    // False for an event that is refused: its number was seen before, or is impossible.
    bool take(const RunEvent& event, std::string_view line);
    void store(const RunEvent& event, std::string_view line);
    int64_t age_s() const; // of the run
    // The host sent more events than a run of this age can produce.
    bool isTooMuch() const;
    // Size up to which its events are stored here.
    uint64_t storable_bytes() const;
    void takeWaiting(const RunEvent& event);
    void noteWait(const std::string& text);
    void noteAlive();
    // Adds what was skipped or not stored to the problems, once.
    void tellSkipped();
    void apply(const RunEvent& event);
    void applyExit(const RunEvent& event);
    void addProblem(RunProblem problem);
    void endRun(const RunEvent& event);
    void fail(const Error& error);
    // Returns whether another attempt may succeed and the time limit for attempts is not reached.
    bool mayRetry(const Error& error);
    void waitForRetry();
    void readOverLogin();
    std::string unreachableReason(std::string reason) const;

    Run& m_run;
    size_t m_index;
    HostPlan m_plan;
    std::string m_planJson;
    AgentClient m_client;
    AgentClient* m_overLogin = nullptr; // of a Slurm node: reads its events once its job has ended
    EventFile m_events;
    QTimer m_retry;
    QElapsedTimer m_failingSince;
    bool m_isImpatient = false;                    // the last failure came after the time limit
    int m_tries = 0;                               // failed ones in a row
    int m_agentFailures = 0;                       // of the agent over a link that holds, in a row
    bool m_hasHeard = true;                        // an event came since the last failure
    bool m_isWaitShown = false;                    // status().reason says that the host is silent
    bool m_isStartUnknown = false;                 // the answer to the start was lost
    uint64_t m_received = 0, m_received_bytes = 0; // events, since this program follows
    QElapsedTimer m_waitsForSpace;                 // valid since the agent reported that its disk is full
    bool m_isDetached = false;
    std::optional<double> m_stopGrace_s; // stop was asked for
    bool m_isStopSent = false;
    bool m_stays = false;
    bool m_isFinishing = false, m_isFinishSent = false;
    std::optional<int> m_waitingOrder;
    int m_releasedOrder = 0;
    std::set<int64_t> m_endedCommands;
    std::string m_exitReason; // of the command that failed
};

} // namespace lockstep
