// SPDX-License-Identifier: Apache-2.0
// ProcessPage holds the state that tells whether this process is being recorded. It is in memory that is
// wiped on fork, so a new child sees zeros, regardless of how it was created, and detects that it is new.
#pragma once

#include <atomic>
#include <cstdint>

namespace lockstep::capture {

class Recorder;

enum class ProcessState : uint32_t { isNew, records, isOff };

struct ProcessPage {
    std::atomic<Recorder*> recorder{nullptr};
    std::atomic<ProcessState> state{ProcessState::isNew};
    std::atomic<uint32_t> isStarting{0};
};

// Returns the page, which is created on first use. Never returns nullptr: a static page is used if the system
// is out of memory.
ProcessPage& processPage() noexcept;

} // namespace lockstep::capture
