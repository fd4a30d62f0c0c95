// SPDX-License-Identifier: Apache-2.0
// ProcessPage: the one word that says whether this process records. It lies in memory that a fork wipes:
// whichever way a child was made, it finds zeros there and knows that it is new.
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

// Made on first use; never nullptr (a static one stands in where the system gives no memory).
ProcessPage& processPage() noexcept;

} // namespace lockstep::capture
