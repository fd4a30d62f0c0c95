// SPDX-License-Identifier: Apache-2.0
#include "capture/inject/capture_log.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

#include "capture/inject/json_text.h"
#include "capture/inject/spool_file.h"
#include "capture/inject/stamp.h"

namespace lockstep::capture {

namespace {

struct stat g_standardError = {};

// fstat() has its name in libc since glibc 2.33 only.
bool hasStatus(int file, struct stat& status) noexcept
{
    return syscall(SYS_fstat, file, &status) == 0;
}

} // namespace

bool logEvent(const std::string& logPath, std::string_view event, std::string_view text) noexcept
{
    try {
        const std::string line = JsonText()
                                     .number("t_ns", clock_ns(CLOCK_REALTIME))
                                     .text("kind", "capture")
                                     .number("pid", getpid())
                                     .text("event", event)
                                     .text("text", text)
                                     .done() +
                                 "\n";
        const int file =
            open(logPath.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
        if (file < 0) return false;
        const ssize_t put = write(file, line.data(), line.size());
        close(file);
        return put == static_cast<ssize_t>(line.size());
    } catch (...) {
        return false; // no memory
    }
}

void rememberStandardError() noexcept
{
    struct stat now = {};
    if (g_standardError.st_ino != 0 || !hasStatus(STDERR_FILENO, now)) return;
    g_standardError = now;
}

void logOrPrint(const std::string& logPath, std::string_view event, std::string_view text) noexcept
{
    try {
        if (const size_t slash = logPath.rfind('/'); slash != std::string::npos && slash > 0)
            makeFolders(logPath.substr(0, slash));
        if (logEvent(logPath, event, text)) return;
        // A program may have closed it and given its number to a file of its own.
        struct stat now = {};
        const bool isSame = hasStatus(STDERR_FILENO, now) && now.st_ino == g_standardError.st_ino &&
                            now.st_dev == g_standardError.st_dev;
        pollfd ready = {STDERR_FILENO, POLLOUT, 0};
        // A pipe that nobody reads would end the program by SIGPIPE, a full one would stop it.
        if (!isSame || poll(&ready, 1, 0) != 1 || ready.revents != POLLOUT) return;
        const std::string line =
            "lockstep capture (process " + std::to_string(getpid()) + "): " + std::string(text) + "\n";
        [[maybe_unused]] const ssize_t put = write(STDERR_FILENO, line.data(), line.size());
    } catch (...) {
        return; // no memory
    }
}

std::string errorText(int error)
{
    char buffer[128] = {};
    const char* const text = strerror_r(error, buffer, sizeof buffer);
    return std::string(text) + " (" + std::to_string(error) + ")";
}

} // namespace lockstep::capture
