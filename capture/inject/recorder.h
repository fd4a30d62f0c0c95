// SPDX-License-Identifier: Apache-2.0
// Recorder: the capture of this process: its settings, its gate, the lanes of its threads and the writer that
// takes from them. One per process; a forked child makes its own on its first call. Never destroyed: hooks
// may be running in any thread until the process is gone. Everything here may be called from any thread and
// never throws.
#pragma once

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>

#include "capture/inject/capture_gate.h"
#include "capture/inject/lane_table.h"
#include "capture/inject/settings.h"

namespace lockstep::capture {

class SpoolWriter;

// What the writer is told, in order.
struct WriterCommand {
    int64_t time_ns = 0;    // records before it belong to what was open before
    uint64_t cudaEpoch = 0; // and CUDA's of epochs up to this
    GateDecision decision;
};

// The range that opened a report, to know its end by.
struct RangeTrigger {
    uint64_t id = 0; // of a start/end range; 0 = a push/pop range:
    const ThreadLane* lane = nullptr;
    uint32_t domain = 0;
    int64_t depth = 0;

    friend bool operator==(const RangeTrigger&, const RangeTrigger&) = default;
};

class Recorder {
  public:
    // The process's, started where that is still to be done (in a forked child, too). nullptr: nothing is
    // recorded, now and for good.
    static Recorder* start() noexcept;
    // The running one, or nullptr.
    static Recorder* current() noexcept;
    // The calling thread's lane, or nullptr: nothing is to be recorded, or there is no memory (then that is
    // counted).
    static ThreadLane* lane() noexcept;

    const CaptureSettings& settings() const { return m_settings; }
    bool isRecording() const noexcept { return m_isRecording.load(std::memory_order_relaxed); }
    bool watchesNames() const noexcept { return m_watchesNames; }
    bool isChild() const { return m_isChild; }
    int64_t pid() const { return m_pid; }
    double pairCost_ns() const { return m_pairCost_ns; }
    const uint8_t* session() const { return m_session; }

    // A range began whose name may be a capture range, a step or a stage. True when it must be told to
    // rangeEnded(). Both lock: only between ThreadLane::enter() and leave().
    bool rangeBegan(std::string_view name, const Domain* domain, uint32_t category,
                    const RangeTrigger& by) noexcept;
    bool rangeEnded(const RangeTrigger& by) noexcept; // true when it was told of the beginning
    // cudaProfilerStart and cudaProfilerStop.
    void profilerStarted() noexcept;
    void profilerStopped() noexcept;
    // Ends the open report, drains all and waits for the writer, 10 s at most. For the process's end.
    void finish() noexcept;
    // Waits until all that was recorded before is in the file, `limit_ns` at most.
    void flush(int64_t limit_ns) noexcept;

    // For lanes.
    uint8_t* waitForRoom(ThreadLane& lane, uint32_t bytes) noexcept;
    void wakeWriter() noexcept;

    LaneTable& lanes() noexcept { return m_lanes; }

    // For the writer.
    bool nextCommand(WriterCommand& command, bool takes);
    // Capture ranges that began and have no report.
    uint64_t lostReports() const noexcept { return m_lostReports.load(); }
    void countLostReport() noexcept { m_lostReports.fetch_add(1); }
    // True when the process has been ending for so long that no more reports should be begun.
    bool isLate() const noexcept;
    // Up to where records are taken that are there now: threads that go on recording must not keep the writer
    // in one round, nor the process from its end.
    int64_t roundEnd_ns() const noexcept;
    void stopRecording() noexcept { m_isRecording.store(false); }
    void sleep(int64_t most_ns) noexcept; // until woken
    void tellDrained(uint64_t round) noexcept;
    uint64_t roundWanted() const noexcept { return m_roundWanted.load(); }
    bool isEnding() const noexcept { return m_isEnding.load(); }

    // A child's first call: gives up its parent's file.
    void abandonInChild() noexcept;

  private:
    explicit Recorder(bool isChild)
        : m_settings(readSettings()), m_gate(m_settings.gate), m_isChild(isChild), m_pid(getpid()),
          m_lanes(m_settings.memory_bytes)
    {
    }
    static Recorder* startSlow() noexcept;
    static Recorder* made(bool isChild);
    ThreadLane* knownLane() const noexcept;
    ThreadLane* newLane() noexcept;
    bool startWriter() noexcept;
    void measureCost() noexcept;
    void sayNotChosen();
    void sayWhyNothing() noexcept;
    void apply(GateDecision decision, int64_t time_ns);

    CaptureSettings m_settings;
    std::mutex m_gateMutex;
    CaptureGate m_gate;
    std::optional<RangeTrigger> m_rangeBy, m_stepBy, m_stageBy;
    bool m_watchesNames = false;
    const bool m_isChild;
    const int64_t m_pid;
    std::atomic<bool> m_isRecording{false};
    std::atomic<bool> m_isEnding{false};
    std::atomic<bool> m_hasSaidNothing{false};
    double m_pairCost_ns = 0;
    uint8_t m_session[16] = {};

    std::mutex m_commandMutex;
    std::deque<WriterCommand> m_commands;
    bool m_isSkipping = false; // the open range has no report; under m_gateMutex
    std::atomic<uint64_t> m_lostReports{0};
    std::atomic<int64_t> m_ending_ns{0}; // since when the process ends

    LaneTable m_lanes;
    std::atomic<int64_t> m_laneRetry_ns{0}; // there was no room for a lane; threads look again then
    SpoolWriter* m_writer = nullptr;
    std::atomic<uint32_t> m_wakes{0};
    std::atomic<uint32_t> m_drains{0};
    std::atomic<uint64_t> m_roundWanted{0}; // flush() asks for a round of the writer
    std::atomic<uint64_t> m_roundDone{0};
};

} // namespace lockstep::capture
