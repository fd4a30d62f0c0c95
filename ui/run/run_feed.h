// SPDX-License-Identifier: Apache-2.0
// RunFeed: collects the events of one Run for display: the log (output and problems), the steps, the
// utilization of the hosts, and the times of reconnections. Earlier events are read from the run's event
// files off the UI thread; events that arrive meanwhile are queued. Signals are emitted at most ten times per
// second, regardless of how much the run prints. UI thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <QObject>
#include <QTimer>

#include "core/remote/run.h"
#include "ui/async/latest_job.h"
#include "ui/run/host_samples.h"
#include "ui/run/log_buffer.h"
#include "ui/run/step_progress.h"

namespace lockstep {

class RunFeed : public QObject {
    Q_OBJECT

  public:
    // `run` must outlive the feed.
    explicit RunFeed(Run& run, QObject* parent = nullptr);

    const LogBuffer& log() const { return m_log; }
    const StepProgress& steps() const { return m_steps; }
    const HostSamples& samples(size_t host) const { return m_samples[host]; }
    // Returns the time at which the host's link was last restored (Unix epoch ns, this machine); 0 if the
    // link was never lost.
    int64_t linkBack_ns(size_t host) const { return m_links[host].back_ns; }
    // Returns when a host last reported a change of the file (Unix epoch ns, host clock), if it has.
    std::optional<int64_t> reportTime_ns(const std::string& host, const std::string& path) const;
    bool isReadingHistory() const { return m_history.isRunning(); }

  signals:
    void hostsChanged();
    void ledgerChanged();
    void logChanged();

  private:
    // Events read from the event files, in chronological order. Each event is stored with the index of its
    // host.
    using History = std::vector<std::pair<size_t, RunEvent>>;
    struct Link {
        bool isLost = false;
        int64_t back_ns = 0;
    };

    static QString endText(const RunEvent& event);
    void readHistory();
    void applyHistory(const Result<History>& history);
    void take(size_t host, const RunEvent& event);
    std::optional<int64_t> firstRankOn(size_t host) const;
    std::optional<int64_t> rankOf(const LogProcess& process) const;
    void findRanks();
    void receiveOutput(uint32_t host, const RunEvent& event);
    void noteHost(size_t host);
    void addHosts();
    void notify();

    Run& m_run;
    LogBuffer m_log;
    // Ranks of processes, keyed by host name and PID, as far as the names or the content of reports state
    // both.
    std::map<std::pair<std::string, int64_t>, int64_t> m_reportRanks;
    StepProgress m_steps;
    std::vector<HostSamples> m_samples;
    std::vector<Link> m_links;
    std::map<std::pair<std::string, std::string>, int64_t> m_reportTimes; // keyed by host and path
    History m_deferred; // events received while the files are being read
    bool m_hostsChanged = false, m_ledgerChanged = false, m_logChanged = false;
    bool m_isRanksStale = false; // the ledger changed since findRanks()
    QTimer m_notifyTimer;
    LatestJob<History> m_history;
};

} // namespace lockstep
