// SPDX-License-Identifier: Apache-2.0
#include "capture/inject/capture_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstring>

#include "capture/inject/json_text.h"
#include "capture/inject/stamp.h"

namespace lockstep::capture {

void logEvent(const std::string& logPath, std::string_view event, std::string_view text) noexcept
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
        if (file < 0) return;
        [[maybe_unused]] const ssize_t put = write(file, line.data(), line.size());
        close(file);
    } catch (...) {
        return; // no memory: nothing can be said
    }
}

std::string errorText(int error)
{
    char buffer[128] = {};
    const char* const text = strerror_r(error, buffer, sizeof buffer);
    return std::string(text) + " (" + std::to_string(error) + ")";
}

} // namespace lockstep::capture
