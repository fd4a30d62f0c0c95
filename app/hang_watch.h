// SPDX-License-Identifier: Apache-2.0
// HangWatch: a thread that notes when the event loop of the window stands still for seconds: for how long,
// which jobs were under way, and where the thread of the window was; in the log, and in a report in the state
// folder as long as it lasts, so that it is told of also where the program is killed then. Made in the thread
// of the window, once its loop is about to run.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include <pthread.h>

#include <QObject>
#include <QTimer>

namespace lockstep {

// Counts its own ticks since the last heartbeat, never the clock: while a machine sleeps or the whole program
// is stopped there are none of either.
class BeatCount {
  public:
    enum class Change : uint8_t { none, stands, goesOn };

    explicit BeatCount(int most) : m_most(most) {}
    // beats: of the loop so far.
    Change tick(uint64_t beats);
    int missed() const { return m_missed; }

  private:
    int m_most;
    int m_missed = 0;
    uint64_t m_seen = 0;
};

class HangWatch : public QObject {
    Q_OBJECT

  public:
    struct Limit {
        std::chrono::milliseconds tick{250};
        int ticks = 20; // without a heartbeat
    };

    // whatRuns is asked at each heartbeat, in the thread of the window.
    HangWatch(std::function<QString()> whatRuns, std::filesystem::path folder)
        : HangWatch(std::move(whatRuns), std::move(folder), Limit())
    {
    }
    HangWatch(std::function<QString()> whatRuns, std::filesystem::path folder, Limit limit);
    ~HangWatch() override;

  private:
    void beat();
    void watch(const std::stop_token& stop);
    void tellHang();
    void tellEnd(int missed);

    const std::function<QString()> m_whatRuns;
    const std::filesystem::path m_folder;
    const Limit m_limit;
    const pthread_t m_window;
    QTimer m_timer;
    std::atomic<uint64_t> m_beats = 0;
    std::mutex m_mutex;
    std::condition_variable_any m_never;
    std::string m_running;          // as of the last heartbeat
    std::filesystem::path m_report; // of the hang that lasts; the thread's own
    std::jthread m_thread;          // last: it uses all of the above
};

} // namespace lockstep
