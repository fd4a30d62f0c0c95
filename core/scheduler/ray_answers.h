// SPDX-License-Identifier: Apache-2.0
// Parsers for the output of `ray job`, based on the source code of Ray 2.9 to 2.52 (dashboard/modules/job:
// cli.py, sdk.py, job_head.py, common.py). The command line prints all of its own lines, including errors, to
// standard output. Standard error contains messages of Ray's libraries and the traceback of the exception
// that ended the command. Every command is run with kRayLogStyle, so that each of its own lines is a record:
// "2026-11-27 10:00:00,123<TAB>INFO cli.py:36 -- Job submission server address: http://head:8265". Pure; any
// thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/scheduler/job_answer.h"

namespace lockstep {

// Option of every `ray job` command: prints records without colors.
inline constexpr std::string_view kRayLogStyle = "--log-style=record";

// Meaning of a failed command.
enum class RayFailure : uint8_t {
    unknownJob, // Ray has no job with this ID
    duplicate,  // Ray already has a job with this submission ID
    notReached, // no connection was established, so the request was not carried out
    unsure,     // the connection was lost or the server failed, so the request may have been carried out
    refused     // everything else: wrong options, a response that rejects the request
};
RayFailure rayFailureFrom(std::string_view err);
// Returns the cause in one line of at most 500 characters. This is the text of the last exception in standard
// error, without its class, otherwise the last line of either stream. Returns "" if both streams are empty.
std::string rayErrorText(std::string_view out, std::string_view err);

// Returns whether `ray job submit` reported the job as submitted. The command may still fail after that.
bool isRayJobSubmitted(std::string_view out, std::string_view job);
// Parses the output of `ray job status`. Returns nullopt if the output contains no known state. `reason` is
// Ray's message in one line.
std::optional<JobAnswer> rayAnswerFrom(std::string_view out, std::string_view job);

// Returns how a job ended, or "" for SUCCEEDED. isStopped: Lockstep requested the end.
std::string rayEndText(const JobAnswer& answer, bool isStopped);
// Returns Ray's message about a pending job, or "" if it only reports that the job has not started.
std::string rayPendingText(const JobAnswer& answer);

// Returns the command `ray job VERB` with those options from `submit` (an entire `ray job submit` command
// line) that select the cluster: --address, --verify and --headers.
std::vector<std::string> rayCommand(const std::vector<std::string>& submit, std::string_view verb);

// The output of `ray job logs --follow` consists of a record with the server's address, the unchanged output
// of the job, and, once the job has ended or the connection was closed, records with the job's state. Returns
// the size of the first record. Returns 0 if the text begins with something else, and nullopt if the line is
// incomplete.
std::optional<size_t> rayLogBegin(std::string_view text);
// Returns the offset of the records with the job's state, or of what may be the beginning of these records.
// Returns text.size() if there are none. The records may follow an incomplete line. If a job prints its own
// state in the same form, its output cannot be distinguished from the records; the last records of this form
// are used.
size_t rayLogEnd(std::string_view text, std::string_view job);

} // namespace lockstep
