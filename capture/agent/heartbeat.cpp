// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/heartbeat.h"

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>

namespace lockstep::agent {

void printHeartbeat()
{
    std::fputc('\n', stdout);
    std::fflush(stdout);
}

Heartbeat::Heartbeat()
    : m_thread([](const std::stop_token& stop) {
          std::mutex mutex;
          std::unique_lock lock(mutex);
          std::condition_variable_any never;
          while (!never.wait_for(lock, stop, std::chrono::seconds(kEvery_s), [] { return false; }) &&
                 !stop.stop_requested())
              printHeartbeat();
      })
{
}

} // namespace lockstep::agent
