// SPDX-License-Identifier: Apache-2.0
// RunFeed: what a run has told so far, gathered for the eye: its log, its steps, how busy its hosts were, and
// when links came back. Made for one Run by the page; what was told before is read from the run's event files
// off the UI thread, what comes meanwhile waits for it. Signals come at most ten times a second, however much
// a run prints. UI thread.
#pragma once

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
    // run outlives the feed.
    explicit RunFeed(Run& run, QObject* parent = nullptr);

    const LogBuffer& log() const { return m_log; }
    const StepProgress& steps() const { return m_steps; }
    const HostSamples& samples(size_t host) const { return m_samples[host]; }
    // Unix epoch, this machine: when the host's link last came back; 0 = it never was lost.
    int64_t linkBack_ns(size_t host) const { return m_links[host].back_ns; }
    bool isReadingHistory() const { return m_history.isRunning(); }

  signals:
    void hostsChanged();
    void ledgerChanged();
    void logChanged();

  private:
    // Events of one host from its file, oldest first.
    using History = std::vector<std::pair<size_t, RunEvent>>;
    struct Link {
        bool isLost = false;
        int64_t back_ns = 0;
    };

    static QString endText(const RunEvent& event);
    void readHistory();
    void takeHistory(const Result<History>& history);
    void take(size_t host, const RunEvent& event);
    void takeOutput(uint32_t host, const RunEvent& event);
    void noteHost(size_t host);
    void addHosts();
    void tell();

    Run& m_run;
    LogBuffer m_log;
    StepProgress m_steps;
    std::vector<HostSamples> m_samples;
    std::vector<Link> m_links;
    History m_early; // arrived while the files are read
    bool m_hostsChanged = false, m_ledgerChanged = false, m_logChanged = false;
    QTimer m_tell;
    LatestJob<History> m_history;
};

} // namespace lockstep
