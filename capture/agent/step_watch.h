// SPDX-License-Identifier: Apache-2.0
// StepWatch records in the event log which training step each growing capture has reached. It reads the block
// headers of the captures, which contain the step (LockstepSpoolBlock::step), and the payload only of a block
// with a new step, to verify its checksum. One thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "capture/agent/event_log.h"
#include "capture/agent/spool_tail.h"

namespace lockstep::agent {

class StepWatch {
  public:
    // Captures beyond this number are not followed, because each of them keeps a file open.
    static constexpr size_t kMaxCaptures = 512;
    // A capture whose step is not the greatest of the node is reported at most once in this time.
    static constexpr auto kPause = std::chrono::seconds(10);

    explicit StepWatch(EventLog& log) : m_log(log) {}

    // Sets the captures to follow: those that are incomplete and belong to this run.
    void follow(const std::set<std::filesystem::path>& captures);
    // Reads new blocks and records steps as events of kind "step". O(new blocks).
    void tell();

  private:
    struct Capture {
        SpoolTail tail;
        std::optional<int64_t> step, told;
        std::chrono::steady_clock::time_point told_at = {};
    };
    static void read(Capture& capture);

    EventLog& m_log;
    std::map<std::filesystem::path, Capture> m_captures;
    std::optional<int64_t> m_greatest; // greatest recorded step
};

} // namespace lockstep::agent
