// SPDX-License-Identifier: Apache-2.0
// ExitWatchdog limits the time the program takes to quit, for example if a file system does not respond. The
// object exists from the end of the event loop until main() returns, and ends the program if that takes
// longer than `moment`.
#pragma once

#include <chrono>
#include <thread>

namespace lockstep {

class ExitWatchdog {
  public:
    explicit ExitWatchdog(int exitStatus, std::chrono::milliseconds moment = std::chrono::seconds(3));
    ExitWatchdog(const ExitWatchdog&) = delete;
    ExitWatchdog& operator=(const ExitWatchdog&) = delete;
    // Ends the program at once if background work is still running, because that work must not run during
    // static destruction.
    ~ExitWatchdog();

  private:
    int m_exitStatus;
    std::jthread m_thread;
};

} // namespace lockstep
