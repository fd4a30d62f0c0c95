// SPDX-License-Identifier: Apache-2.0
#include "app/run/exit_watchdog.h"

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "core/remote/background_work.h"

namespace lockstep {

namespace {

[[noreturn]] void leaveNow(int exitStatus)
{
    std::fflush(nullptr);
    std::_Exit(exitStatus);
}

} // namespace

ExitWatchdog::ExitWatchdog(int exitStatus, std::chrono::milliseconds moment)
    : m_exitStatus(exitStatus), m_thread([exitStatus, moment](const std::stop_token& stop) {
          std::mutex mutex;
          std::unique_lock lock(mutex);
          std::condition_variable_any never;
          never.wait_for(lock, stop, moment, [] { return false; });
          if (!stop.stop_requested()) leaveNow(exitStatus);
      })
{
}

ExitWatchdog::~ExitWatchdog()
{
    if (BackgroundWork::hasOrphans()) leaveNow(m_exitStatus);
}

} // namespace lockstep
