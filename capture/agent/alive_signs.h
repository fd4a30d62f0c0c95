// SPDX-License-Identifier: Apache-2.0
// AliveSigns prints an empty line to standard output every few seconds while one lives, so that whoever reads
// a slow command's answer can tell it from a host that hangs. Answers are whole lines; empty ones mean
// nothing. Not for a process that forks without exec: the line is printed by a thread.
#pragma once

#include <thread>

namespace lockstep::agent {

class AliveSigns {
  public:
    static constexpr int kEvery_s = 5;

    AliveSigns();
    AliveSigns(const AliveSigns&) = delete;
    AliveSigns& operator=(const AliveSigns&) = delete;

  private:
    std::jthread m_thread;
};

// One sign, for a loop that waits by itself.
void printAliveSign();

} // namespace lockstep::agent
