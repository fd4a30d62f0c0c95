// SPDX-License-Identifier: Apache-2.0
// Extracts information about a run from lines of a program's output: the training step, the profiler's state,
// and known failures with cause and remedy. Pure functions. Those of tools are in a table, whose entries
// are tried in order; those of frameworks come from the recipes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/pattern.h"
#include "core/session/recipes/log_sign.h"

namespace lockstep::agent {

enum class LogFindingKind {
    step,
    captureStarted,
    captureEnded,
    flushing,
    reportWritten,
    controller,
    workerProfiled,
    failure
};

// Words in the event log that mark a line as the beginning or the end of its step. For most lines neither is
// known.
namespace stepMark {
inline constexpr const char* kBegins = "begin";
inline constexpr const char* kEnds = "end";
} // namespace stepMark

// Identifier of a failure that names a failed rank, but not the cause.
inline constexpr std::string_view kRankFailed = "rank_failed";

struct LogFinding {
    LogFindingKind kind = LogFindingKind::step;
    std::optional<int64_t> step; // kind step
    std::string value;   // reportWritten: path; controller: "HOST PID"; workerProfiled: name of the worker
    std::string failure; // stable identifier, e.g. "cupti_taken"
    std::string text;    // for failure: cause and remedy, as readable text
    std::string mark;    // kind step: a stepMark, or empty
};

// A failure that the plan of the run adds to the table. `text`: cause and remedy.
struct KnownFailure {
    Pattern log; // matches a part of a line
    std::string failure, text;
};

// What the recipes of the frameworks know about lines of output.
struct KnownLines {
    std::vector<KnownFailure> failures;
    std::vector<LogSign> signs;
};

// Returns the first finding in one line of output (color escapes and line end allowed), if any. What is
// known from recipes is more specific than the tables here, so it comes first.
std::optional<LogFinding> findingOfLine(std::string_view line, const KnownLines& known);

// Returns the line without terminal color and cursor escapes.
std::string withoutEscapes(std::string_view line);

} // namespace lockstep::agent
