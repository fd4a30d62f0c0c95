// SPDX-License-Identifier: Apache-2.0
// LeaveInTime: while one of these lives the program is on its way out: what waits then, for a file system
// that does not answer say, is not waited for longer than a moment. Held from the end of the event loop until
// main() returns.
#pragma once

#include <chrono>
#include <thread>

namespace lockstep {

class LeaveInTime {
  public:
    explicit LeaveInTime(int exitStatus, std::chrono::milliseconds moment = std::chrono::seconds(3));
    LeaveInTime(const LeaveInTime&) = delete;
    LeaveInTime& operator=(const LeaveInTime&) = delete;
    // Ends the program at once where work is left that nobody waits for: it must not meet the end of statics.
    ~LeaveInTime();

  private:
    int m_exitStatus;
    std::jthread m_thread;
};

} // namespace lockstep
