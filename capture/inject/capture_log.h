// SPDX-License-Identifier: Apache-2.0
// The library's log: one JSON line for each thing that went wrong, appended to the file that
// LOCKSTEP_CAPTURE_LOG names: {"t_ns", "kind": "capture", "pid", "event", "text", ...}. Any thread. Where it
// cannot be written, nothing is.
#pragma once

#include <string>
#include <string_view>

namespace lockstep::capture {

// event: a word for scripts ("not_written"); text: a sentence for people.
void logEvent(const std::string& logPath, std::string_view event, std::string_view text) noexcept;
// "No space left on device (28)".
std::string errorText(int error);

} // namespace lockstep::capture
