// SPDX-License-Identifier: Apache-2.0
// Heartbeat prints an empty line to standard output every few seconds during its lifetime, so that a reader
// can distinguish a slow command from a host that hangs. Responses are complete lines, and readers ignore
// empty lines. A separate thread prints, so do not use this class in a process that forks without exec.
#pragma once

#include <thread>

namespace lockstep::agent {

class Heartbeat {
  public:
    static constexpr int kEvery_s = 5;

    Heartbeat();
    Heartbeat(const Heartbeat&) = delete;
    Heartbeat& operator=(const Heartbeat&) = delete;

  private:
    std::jthread m_thread;
};

// Prints one heartbeat, for a loop that does its own waiting.
void printHeartbeat();

} // namespace lockstep::agent
