// SPDX-License-Identifier: Apache-2.0
#include "app/cli/console.h"

#include <cstdio>

#include <unistd.h>

#include "core/base/text.h"

namespace lockstep {

namespace {

constexpr std::chrono::milliseconds kRedraw(100);

} // namespace

Console::Console(bool isQuiet, bool isVerbose)
    : m_isQuiet(isQuiet), m_isVerbose(isVerbose), m_isTerminal(::isatty(STDERR_FILENO) == 1)
{
}

void Console::failure(std::string_view message)
{
    line(message);
}

void Console::failure(const std::filesystem::path& path, const Error& error)
{
    const std::string name = path.string();
    line(error.message.starts_with(name + ":") ? error.message : name + ": " + error.message);
}

void Console::notice(std::string_view message)
{
    if (!m_isQuiet) line(message);
}

void Console::detail(std::string_view message)
{
    if (m_isVerbose) line(message);
}

void Console::progress(std::string_view doing, size_t done, size_t total)
{
    const std::scoped_lock lock(m_mutex);
    if (m_isQuiet || !m_isTerminal) return;
    const auto now = std::chrono::steady_clock::now();
    if (m_hasProgress && done < total && now - m_lastProgress < kRedraw) return;
    m_lastProgress = now;
    m_hasProgress = true;
    std::fprintf(stderr, "\r\033[K%.*s %zu of %zu", static_cast<int>(doing.size()), doing.data(), done,
                 total);
    std::fflush(stderr);
}

void Console::clearProgress()
{
    const std::scoped_lock lock(m_mutex);
    eraseProgress();
}

void Console::line(std::string_view message)
{
    const std::scoped_lock lock(m_mutex);
    eraseProgress();
    // Prints a single line even if a file name or text from a host contains line breaks.
    std::fprintf(stderr, "lockstep: %s\n", printable(message).c_str());
}

void Console::eraseProgress()
{
    if (!m_hasProgress) return;
    std::fputs("\r\033[K", stderr);
    m_hasProgress = false;
}

} // namespace lockstep
