// SPDX-License-Identifier: Apache-2.0
// Recorder is the capture of this process: its settings, its gate, the lanes of its threads and the writer
// that reads them. One per process; a forked child creates its own on its first call. Never destroyed,
// because hooks may run in any thread until the process has ended. All functions may be called from any
// thread and never throw.
#pragma once

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>

#include "capture/inject/capture_gate.h"
#include "capture/inject/settings.h"
#include "capture/inject/thread_lane.h"
#include "capture/inject/writer_queue.h"

namespace lockstep::capture {

class SpoolWriter;

// Identifies the range that opened a report, so that its end can be detected.
struct RangeTrigger {
    uint64_t id = 0; // ID of a start/end range; 0 = a push/pop range, identified by the members below
    const ThreadLane* lane = nullptr;
    uint32_t domain = 0;
    int64_t depth = 0;

    friend bool operator==(const RangeTrigger&, const RangeTrigger&) = default;
};

class Recorder {
  public:
    // Returns the recorder of this process and starts it if necessary (also in a forked child). Returns
    // nullptr if nothing is ever recorded in this process.
    static Recorder* start() noexcept;
    // Returns the running recorder, or nullptr.
    static Recorder* current() noexcept;
    // Returns the lane of the calling thread. Returns nullptr if nothing is to be recorded, or if there is no
    // memory (which is counted).
    static ThreadLane* lane() noexcept;

    const CaptureSettings& settings() const { return m_settings; }
    bool isRecording() const noexcept { return m_isRecording.load(std::memory_order_relaxed); }
    bool watchesNames() const noexcept { return m_watchesNames; }
    bool isChild() const { return m_isChild; }
    int64_t pid() const { return m_pid; }
    double pairCost_ns() const { return m_pairCost_ns; }
    const uint8_t* session() const { return m_session; }

    // Reports the beginning of a range whose name may be that of a capture range, a step or a stage. Returns
    // true if rangeEnded() must be called for it. Both functions take a lock, so call them only between
    // ThreadLane::enter() and leave().
    bool rangeBegan(std::string_view name, const Domain* domain, uint32_t category,
                    const RangeTrigger& by) noexcept;
    bool rangeEnded(const RangeTrigger& by) noexcept; // returns true if the beginning was reported
    // Handle cudaProfilerStart and cudaProfilerStop.
    void profilerStarted() noexcept;
    void profilerStopped() noexcept;
    // Ends the open report, drains everything and blocks for at most 10 s until the writer is done. Call it
    // at the end of the process.
    void finish() noexcept;
    // Blocks for at most `limit_ns` until everything recorded so far is in the file.
    void flush(int64_t limit_ns) noexcept;

    // Called by a lane whose ring is full. Returns nullptr if the record is lost.
    uint8_t* waitForRoom(ThreadLane& lane, uint32_t bytes) noexcept;

    LaneTable& lanes() noexcept { return m_lanes; }
    WriterQueue& writerQueue() noexcept { return m_queue; }
    void stopRecording() noexcept { m_isRecording.store(false); }
    // Stores the status that the process passes to exit(); only its lowest 8 bits reach the parent process.
    void noteExitStatus(int status) noexcept { m_exitStatus.store(status & 0xff); }
    // Returns the exit status of the process, or -1 if it is unknown.
    int exitStatus() const noexcept { return m_exitStatus.load(); }

    // Handles the first call in a forked child: releases the file of the parent.
    void abandonInChild() noexcept;

  private:
    explicit Recorder(bool isChild)
        : m_settings(readSettings()), m_gate(m_settings.gate), m_isChild(isChild), m_pid(getpid()),
          m_lanes(m_settings.memory_bytes)
    {
    }
    static Recorder* startSlow() noexcept;
    static Recorder* create(bool isChild);
    ThreadLane* knownLane() const noexcept;
    ThreadLane* newLane() noexcept;
    bool startWriter() noexcept;
    void measureCost() noexcept;
    void logNotSelected();
    void logNoReport() noexcept;
    void apply(GateDecision decision, int64_t time_ns);

    CaptureSettings m_settings;
    std::mutex m_gateMutex;
    CaptureGate m_gate;
    std::optional<RangeTrigger> m_rangeBy, m_stepBy, m_stageBy;
    bool m_watchesNames = false;
    const bool m_isChild;
    const int64_t m_pid;
    std::atomic<bool> m_isRecording{false};
    std::atomic<int> m_exitStatus{-1};
    std::atomic<bool> m_hasLoggedNoReport{false};
    double m_pairCost_ns = 0;
    uint8_t m_session[16] = {};

    WriterQueue m_queue;
    bool m_isSkipping = false; // the open range has no report; guarded by m_gateMutex

    LaneTable m_lanes;
    // Time at which threads may try again after there was no room for a lane.
    std::atomic<int64_t> m_laneRetry_ns{0};
    SpoolWriter* m_writer = nullptr;
};

} // namespace lockstep::capture
