// SPDX-License-Identifier: Apache-2.0
// Readers of what `ray job` prints, after the sources of Ray 2.9 to 2.52 (dashboard/modules/job: cli.py,
// sdk.py, job_head.py, common.py). The command line prints all of its own lines, errors included, to standard
// output; standard error has the traceback of the exception that ended it and messages of Ray's libraries.
// Every command is run with kRayLogStyle, so that each of its own lines is a record: "2026-11-27
// 10:00:00,123<TAB>INFO cli.py:36 -- Job submission server address: http://head:8265". Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/scheduler/job_answer.h"

namespace lockstep {

// An option of every `ray job` command: records, never colors.
inline constexpr std::string_view kRayLogStyle = "--log-style=record";

// What a failed command means.
enum class RayFailure : uint8_t {
    unknownJob, // Ray has no job of this id
    duplicate,  // a submission id that Ray already has
    notReached, // no connection was made: the request was not carried out
    unsure,     // the connection broke, or the server failed: the request may have been carried out
    refused     // everything else: wrong options, an answer that denies the request
};
RayFailure rayFailureFrom(std::string_view err);
// The cause in one line, at most 500 characters: the text of the last exception in standard error, without
// its class; otherwise the last line of either stream. "" where both are empty.
std::string rayErrorText(std::string_view out, std::string_view err);

// Whether `ray job submit` reported that job as submitted. It may fail after that.
bool isRayJobSubmitted(std::string_view out, std::string_view job);
// From the output of `ray job status`. nullopt where it has no state, or one that is not known here.
// reason: Ray's message, in one line.
std::optional<JobAnswer> rayAnswerFrom(std::string_view out, std::string_view job);
// The phase for Ray's state word ("PENDING").
std::optional<JobPhase> rayPhase(std::string_view state);

// How a job ended: "" for SUCCEEDED. isStopped: Lockstep requested the end.
std::string rayEndText(const JobAnswer& answer, bool isStopped);
// Ray's message about a pending job; "" where it only states that the job has not started.
std::string rayPendingText(const JobAnswer& answer);

// The command `ray job VERB`, with the options of `submit` (a whole command line of `ray job submit`) that
// select the cluster: --address, --verify and --headers.
std::vector<std::string> rayCommand(const std::vector<std::string>& submit, std::string_view verb);

// The output of `ray job logs --follow` is a record with the server's address, the job's output as it is,
// and, when the job has ended or the connection was closed, records with the job's state. Size of the first
// record; 0 where the text begins with something else. nullopt: its line is not complete.
std::optional<size_t> rayLogBegin(std::string_view text);
// Offset of the records with the job's state, or of what may be their beginning; text.size() where there is
// none. They may follow an incomplete line. A job that prints its own state this way is not distinguishable;
// the last such records count.
size_t rayLogEnd(std::string_view text, std::string_view job);

} // namespace lockstep
