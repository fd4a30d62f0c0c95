// SPDX-License-Identifier: Apache-2.0
// LiveHostLogs: the hosts of a run that is watched, as they say of themselves: CPU, memory, network and GPUs,
// commands, training steps and comparisons of clocks, from the event logs that the Run keeps here as they
// arrive. What crosses the links is what the Run page has, and what is shown is the file that is opened with
// the collected reports, so at the end both are the same. Part of LiveWatch, whose rounds read them beside
// the captures. UI thread, but for Round.
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
    struct Shown { // a log's report, with what drawing needs
        size_t log = 0;
        std::shared_ptr<const Report> report; // null: nothing new
        std::shared_ptr<const ReportLod> lod;
        std::string problem;
        std::chrono::milliseconds cost{0}; // of making it
    };
    // What a round reads, on a worker; one at a time.
    class Round {
      public:
        size_t size() const { return m_logs.size(); }
        // i: of those that are due.
        Shown read(size_t i, const Progress& progress) const;

      private:
        friend class LiveHostLogs;
        std::vector<std::pair<size_t, std::shared_ptr<LiveEventLog>>> m_logs;
    };

    // The run's hosts as they are now, in the place of those before.
    void begin(const Run& run);
    // Those that joined since, from the first of these on.
    void add(const Run& run, size_t first);
    bool isShown() const;
    // The longer a log is the more seldom it is made anew: a twentieth of a core each, at most.
    Round round() const;
    uint64_t memory_bytes() const;
    // newKey: gives a log its key, once.
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
    // They leave with the scene.
    void close(SceneChange& change);

  private:
    using Clock = std::chrono::steady_clock;
    static constexpr int kTimesCost = 20;
    static constexpr std::chrono::seconds kLongestPause{10};

    struct Log {
        std::string host;
        std::shared_ptr<LiveEventLog> log;
        ReportKey key; // once it is shown
        uint64_t memory_bytes = 0;
        Clock::time_point due;
    };
    OpenedInScene openedAs(const Log& log, const Shown& shown) const;

    std::string m_run;
    std::vector<Log> m_logs;
};

} // namespace lockstep
