// SPDX-License-Identifier: Apache-2.0
// The library's log: one JSON line for each thing that went wrong, appended to the file that
// LOCKSTEP_CAPTURE_LOG names: {"t_ns", "kind": "capture", "pid", "event", "text", ...}. Any thread. Where it
// cannot be written, or is no regular file, nothing is.
#pragma once

#include <string>
#include <string_view>

namespace lockstep::capture {

// event: a word for scripts ("not_written"); text: a sentence for people. False where nothing was written.
bool logEvent(const std::string& logPath, std::string_view event, std::string_view text) noexcept;
// The same for what a user would otherwise search for in vain, such as a report that is not there: makes the
// log's folder, and where the log cannot be written, prints one line on standard error. Never waits, and
// prints only to what was standard error when rememberStandardError() was called first.
void logOrPrint(const std::string& logPath, std::string_view event, std::string_view text) noexcept;
void rememberStandardError() noexcept;
// "No space left on device (28)".
std::string errorText(int error);

} // namespace lockstep::capture
