// SPDX-License-Identifier: Apache-2.0
// Console writes the messages of a headless run to standard error: one line per failure, notes if requested,
// and a progress line on a terminal. Thread-safe.
#pragma once

#include <chrono>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace lockstep {

class Console {
  public:
    Console(bool isQuiet, bool isVerbose);

    // Prints "lockstep: MESSAGE", even if the console is quiet.
    void failure(std::string_view message);
    // Prints "lockstep: PATH: MESSAGE"; the path is omitted if the message begins with it.
    void failure(const std::filesystem::path& path, const Error& error);
    // Prints the message unless the console is quiet.
    void notice(std::string_view message);
    // Prints the message if the console is verbose.
    void detail(std::string_view message);
    // Redraws the progress line, at most ten times per second. Does nothing if standard error is not a
    // terminal or the console is quiet.
    void progress(std::string_view doing, size_t done, size_t total);
    void clearProgress();

  private:
    void line(std::string_view message);
    void eraseProgress();

    std::mutex m_mutex;
    bool m_isQuiet;
    bool m_isVerbose;
    bool m_isTerminal;
    bool m_hasProgress = false;
    std::chrono::steady_clock::time_point m_lastProgress;
};

} // namespace lockstep
