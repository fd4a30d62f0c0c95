// SPDX-License-Identifier: Apache-2.0
// What lines of a program's output tell about a run: the training step, the profiler's state, and known
// failures with their cause and cure. Pure; one table, tried in order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::agent {

enum class SignKind {
    step,
    captureStarted,
    captureEnded,
    flushing,
    reportWritten,
    controller,
    workerProfiled,
    failure
};

// How event logs say that a line begins its step or ends it; of most lines nobody knows.
namespace stepMark {
inline constexpr const char* kBegins = "begin";
inline constexpr const char* kEnds = "end";
} // namespace stepMark

struct LogSign {
    SignKind kind = SignKind::step;
    std::optional<int64_t> step; // kind step
    std::string value;   // reportWritten: the path; controller: "HOST PID"; workerProfiled: the worker
    std::string failure; // stable word, e.g. "cupti_taken"
    std::string text;    // failure: what it means and what to do, for people
    std::string mark;    // kind step: a stepMark, or empty
};

// The first sign in one line of output (colour escapes and line end allowed), if any.
std::optional<LogSign> signOfLine(std::string_view line);

// The line without terminal colour and cursor escapes.
std::string withoutEscapes(std::string_view line);

} // namespace lockstep::agent
