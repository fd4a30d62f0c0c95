// SPDX-License-Identifier: Apache-2.0
// LiveHostLogs shows the host event logs of a watched run: CPU, memory, network and GPU counters, commands,
// training steps and clock comparisons. It reads the log files that the Run writes on this machine as events
// arrive. The same files are opened with the collected reports, so the final view is the same. LiveHostLogs
// is a part of LiveWatch, which reads the logs in the same rounds as the captures. UI thread, except for
// Round.
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/readers/run_events/live_event_log.h"
#include "core/remote/run.h"
#include "core/scene/next_scene.h"

namespace lockstep {

class LiveHostLogs {
  public:
    struct Shown { // the report made from a log, with its level-of-detail data
        size_t log = 0;
        std::shared_ptr<const Report> report; // nullptr if the log has not changed
        std::shared_ptr<const ReportLod> lod;
        MessageWithHelp problem;
        std::chrono::milliseconds cost{0}; // time to make the report
    };
    // Round holds the logs that one round reads on a worker. Only one round runs at a time.
    class Round {
      public:
        size_t size() const { return m_logs.size(); }
        // Reads the i-th due log.
        Shown read(size_t i, const Progress& progress) const;

      private:
        friend class LiveHostLogs;
        std::vector<std::pair<size_t, std::shared_ptr<LiveEventLog>>> m_logs;
    };

    // Replaces the logs by those of the run's current hosts.
    void begin(const Run& run);
    // Adds the hosts that joined the run later, starting at index `first`.
    void add(const Run& run, size_t first);
    bool isShown() const;
    // Returns the logs due for reading. Reading a log may use at most a twentieth of a core's time, so longer
    // logs are read less often.
    Round round() const;
    uint64_t memory_bytes() const;
    // Adds the new reports to `change`. newKey() is called for the key of a log that is shown for the first
    // time.
    template<class NewKey>
    void show(SceneChange& change, const std::vector<Shown>& shown, NewKey newKey)
    {
        for (const Shown& one : shown) {
            if (one.report == nullptr) continue;
            Log& log = m_logs[one.log];
            log.memory_bytes = one.report->residentBytes() + one.lod->residentBytes();
            log.due = Clock::now() + std::min<Clock::duration>(kTimesCost * one.cost, kLongestPause);
            if (!log.key.isValid()) {
                log.key = newKey();
            } else {
                change.closed.insert(log.key);
            }
            change.opened.push_back(openedAs(log, one));
        }
    }
    // Adds the removal of all logs to `change`.
    void close(SceneChange& change);

  private:
    using Clock = std::chrono::steady_clock;
    static constexpr int kTimesCost = 20;
    static constexpr std::chrono::seconds kLongestPause{10};

    struct Log {
        std::string host;
        std::shared_ptr<LiveEventLog> log;
        ReportKey key; // valid once the log is shown
        uint64_t memory_bytes = 0;
        Clock::time_point due;
    };
    OpenedInScene openedAs(const Log& log, const Shown& shown) const;

    std::string m_run;
    std::vector<Log> m_logs;
};

} // namespace lockstep
