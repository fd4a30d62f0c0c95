// SPDX-License-Identifier: Apache-2.0
// HangWatch runs a thread that detects when the window's event loop blocks for seconds. It logs the duration,
// the running jobs and the stack of the UI thread. While the program hangs, a report in the state folder
// contains the same information, because the user may kill the program. Construct in the UI thread, just
// before the event loop starts.
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

// BeatCount counts ticks since the last heartbeat. It counts ticks instead of measuring time, because neither
// ticks nor heartbeats occur while the machine sleeps or the program is stopped.
class BeatCount {
  public:
    enum class Change : uint8_t { none, hung, continues };

    explicit BeatCount(int maxTicks) : m_maxTicks(maxTicks) {}
    // `beats` is the number of heartbeats of the event loop so far.
    Change tick(uint64_t beats);
    int missed() const { return m_missed; }

  private:
    int m_maxTicks;
    int m_missed = 0;
    uint64_t m_lastBeats = 0;
};

class HangWatch : public QObject {
    Q_OBJECT

  public:
    struct Limit {
        std::chrono::milliseconds tick{250};
        int ticks = 20; // a hang is reported after this many ticks without a heartbeat
    };

    // runningJobs is called at each heartbeat, in the UI thread.
    HangWatch(std::function<QString()> runningJobs, std::filesystem::path folder)
        : HangWatch(std::move(runningJobs), std::move(folder), Limit())
    {
    }
    HangWatch(std::function<QString()> runningJobs, std::filesystem::path folder, Limit limit);
    ~HangWatch() override;

  private:
    void beat();
    void watch(const std::stop_token& stop);
    void reportHang();
    void reportRecovery(int missed);

    const std::function<QString()> m_runningJobs;
    const std::filesystem::path m_folder;
    const Limit m_limit;
    const pthread_t m_window;
    QTimer m_timer;
    std::atomic<uint64_t> m_beats = 0;
    std::mutex m_mutex;
    std::condition_variable_any m_neverNotified;
    std::string m_running;          // running jobs at the last heartbeat
    std::filesystem::path m_report; // report of the current hang; used by m_thread only
    std::jthread m_thread;          // last member, because the thread uses all other members
};

} // namespace lockstep
