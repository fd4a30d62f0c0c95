// SPDX-License-Identifier: Apache-2.0
// WriterQueue connects the threads of the program with the writer: it holds the commands for the writer,
// wakes the writer, and lets threads wait until the writer has read all records. It also holds the request to
// end. One per recorder. Any thread. Only the functions that are not noexcept may throw.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>

#include "capture/inject/capture_gate.h"

namespace lockstep::capture {

// Command for the writer. Commands are executed in order.
struct WriterCommand {
    int64_t time_ns = 0;    // earlier records belong to the report that was open before
    uint64_t cudaEpoch = 0; // CUDA records of epochs up to this one also belong to that report
    GateDecision decision;
};

class WriterQueue {
  public:
    // Returns true if so many commands wait that no further report should begin.
    bool isFull();
    void push(WriterCommand command);
    // Returns the number of capture ranges that began but have no report.
    uint64_t lostReports() const noexcept { return m_lostReports.load(); }
    void countLostReport() noexcept { m_lostReports.fetch_add(1); }

    void wake() noexcept;
    // Returns a number that changes when the writer completes a round. It is the `seen` of waitForDrain().
    uint32_t drains() const noexcept { return m_drains.load(); }
    // Blocks until a round was completed after drains() returned `seen`, for at most `most_ns`. May return
    // early.
    void waitForDrain(uint32_t seen, int64_t most_ns) noexcept;
    // Requests a round and blocks until it is complete, for at most `limit_ns`.
    void waitForRound(int64_t limit_ns) noexcept;
    // Called when the process begins to end. The writer does one more round.
    void requestEnd() noexcept;
    bool isEnding() const noexcept { return m_isEnding.load(); }

    // Called by the writer.
    // Copies the next command to `command` and removes it if `takes` is true. Returns false if there is none.
    bool next(WriterCommand& command, bool takes);
    void sleep(int64_t most_ns) noexcept; // sleeps until woken
    uint64_t requestedRound() const noexcept { return m_requestedRound.load(); }
    void notifyDrained(uint64_t round) noexcept;
    // Returns true if the process has been ending for so long that no further reports should begin.
    bool isLate() const noexcept;
    // Returns the time up to which the current round reads records. The limit prevents threads that continue
    // recording from keeping the writer in one round, or the process from ending.
    int64_t roundEnd_ns() const noexcept;

  private:
    std::mutex m_mutex; // guards m_commands
    std::deque<WriterCommand> m_commands;
    std::atomic<uint64_t> m_lostReports{0};
    std::atomic<bool> m_isEnding{false};
    std::atomic<int64_t> m_ending_ns{0}; // time at which the process began to end
    std::atomic<uint32_t> m_wakes{0};
    std::atomic<uint32_t> m_drains{0};
    std::atomic<uint64_t> m_requestedRound{0}; // the round of the writer that waitForRound() requests
    std::atomic<uint64_t> m_roundDone{0};
};

} // namespace lockstep::capture
