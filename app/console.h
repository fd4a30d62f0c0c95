// SPDX-License-Identifier: Apache-2.0
// Console: what a headless run says on standard error: one line per failure, notes when asked for, and a
// progress line on a terminal. Safe to use from several threads.
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

    // "lockstep: message": always shown.
    void failure(std::string_view message);
    // "lockstep: PATH: what": the path is put in front unless the message begins with it.
    void failure(const std::filesystem::path& path, const Error& error);
    // Shown unless quiet.
    void notice(std::string_view message);
    // Shown when verbose.
    void detail(std::string_view message);
    // Redraws the progress line at most ten times a second. On a terminal only, unless quiet; a verbose run
    // writes lines.
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
