// SPDX-License-Identifier: Apache-2.0
// Interrupt turns the first SIGINT or SIGTERM into a stop request, so that an export can end cleanly and
// remove partial outputs. The second signal ends the program at once. At most one Interrupt may exist at a
// time; create it before the work starts.
#pragma once

#include <stop_token>
#include <thread>

namespace lockstep {

class Interrupt {
  public:
    Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;
    ~Interrupt();

    std::stop_token stopToken() const { return m_stop.get_token(); }
    bool wasRequested() const { return m_stop.stop_requested(); }
    // Returns a file descriptor that becomes readable once the stop is requested. Use it in poll() together
    // with the descriptor of an input.
    int wakeFile() const { return m_wakeFile; }

  private:
    void watch();

    std::stop_source m_stop;
    int m_wakeFile = -1;
    std::thread m_thread;
};

} // namespace lockstep
