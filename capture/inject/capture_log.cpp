// SPDX-License-Identifier: Apache-2.0
#include "capture/inject/capture_log.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstring>
#include <optional>

#include "capture/inject/descriptors.h"
#include "capture/inject/json_text.h"
#include "capture/inject/spool_file.h"
#include "capture/inject/timestamp.h"

namespace lockstep::capture {

namespace {

std::optional<FileIdentity> g_standardError;

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
        const int file = openHigh(logPath.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0600);
        if (file < 0) return false;
        const auto log = fileIdentity(file);
        // Accepts only regular files, because on a thread of the program, a pipe could raise SIGPIPE and a
        // file at the size limit could raise SIGXFSZ.
        rlimit limit = {};
        const bool fits =
            getrlimit(RLIMIT_FSIZE, &limit) != 0 || !log || log->size_bytes + line.size() <= limit.rlim_cur;
        const ssize_t put =
            log && log->isRegular && fits ? write(file, line.data(), line.size()) : ssize_t(-1);
        close(file);
        return put == static_cast<ssize_t>(line.size());
    } catch (...) {
        return false; // out of memory
    }
}

void rememberStandardError() noexcept
{
    if (!g_standardError) g_standardError = fileIdentity(STDERR_FILENO);
}

void logOrPrint(const std::string& logPath, std::string_view event, std::string_view text) noexcept
{
    try {
        if (const size_t slash = logPath.rfind('/'); slash != std::string::npos && slash > 0)
            makeFolders(logPath.substr(0, slash));
        if (logEvent(logPath, event, text)) return;
        // The program may have closed standard error and reused its descriptor number for its own file.
        const auto now = fileIdentity(STDERR_FILENO);
        const bool isSame = now && g_standardError && now->isSameFile(*g_standardError);
        pollfd ready = {STDERR_FILENO, POLLOUT, 0};
        // A pipe without a reader would kill the program with SIGPIPE, and a full pipe would block it.
        if (!isSame || poll(&ready, 1, 0) != 1 || ready.revents != POLLOUT) return;
        const std::string line =
            "lockstep capture (process " + std::to_string(getpid()) + "): " + std::string(text) + "\n";
        [[maybe_unused]] const ssize_t put = write(STDERR_FILENO, line.data(), line.size());
    } catch (...) {
        return; // out of memory
    }
}

std::string errorText(int error)
{
    char buffer[128] = {};
    const char* const text = strerror_r(error, buffer, sizeof buffer);
    return std::string(text) + " (" + std::to_string(error) + ")";
}

} // namespace lockstep::capture
