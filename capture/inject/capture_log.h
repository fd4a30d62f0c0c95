// SPDX-License-Identifier: Apache-2.0
// Log of the library: one JSON line per problem, appended to the file specified by LOCKSTEP_CAPTURE_LOG:
// {"t_ns", "kind": "capture", "pid", "event", "text", ...}. Any thread. Nothing is written if the file cannot
// be written or is not a regular file.
#pragma once

#include <string>
#include <string_view>

namespace lockstep::capture {

// Logs an event. event: an identifier for scripts ("not_written"); text: a readable sentence. Returns false
// if nothing was written.
bool logEvent(const std::string& logPath, std::string_view event, std::string_view text) noexcept;
// Same as logEvent(), for problems that a user would notice, such as a missing report. Creates the folder of
// the log. If the log cannot be written, prints one line to standard error. Never blocks. Prints only to the
// file that was standard error when rememberStandardError() was called first.
void logOrPrint(const std::string& logPath, std::string_view event, std::string_view text) noexcept;
void rememberStandardError() noexcept;
// Returns a string such as "No space left on device (28)".
std::string errorText(int error);

} // namespace lockstep::capture
