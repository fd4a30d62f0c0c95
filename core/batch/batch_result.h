// SPDX-License-Identifier: Apache-2.0
// BatchResult describes the result of a task for one report: a .lockstep file with the report's columns in
// the same form as in memory. The merge memory-maps these columns instead of reading the report. A section of
// the file contains its source, program and row counts. Nothing is aggregated yet, so every analysis after
// the merge gives the same result as in a single process. For a report that cannot be read, the reason is
// stored instead. Any thread.
#pragma once

#include <optional>

#include "core/base/progress.h"
#include "core/batch/batch_folder.h"
#include "core/trace/workspace.h"

namespace lockstep {

struct BatchResult {
    std::string sha256; // digest of the report file
    std::string host;   // host that ran the task
    uint64_t task = 0;  // number of the task that created the result
    uint64_t slices = 0, reports = 0;
};

struct BatchFailure {
    Error error; // has the same message that a single process would report
    std::string host;
    uint64_t task = 0;

    // Returns true if a retry cannot succeed, because the cause is the file itself.
    bool isFinal() const { return error.kind != ErrorKind::io && error.kind != ErrorKind::remote; }
};

// Reads the report and writes its result, or the reason for a failure. If canceled, writes neither. Returns
// the error of the report, or io if the result cannot be written.
Status makeResult(const BatchFolder& folder, const BatchInput& input, uint64_t task,
                  const Progress& progress);

// Reads the description of a result without its rows. Errors: notFound if there is no result; corrupt;
// unsupported if the result was created by a different program, from a different report, or from a different
// version of the report.
Result<BatchResult> checkResult(const BatchFolder& folder, const BatchInput& input);
// Returns the reports, with columns memory-mapped from the file. Errors: same as for checkResult(); also
// corrupt if the rows do not match the description.
Result<Workspace> loadResult(const BatchFolder& folder, const BatchInput& input, const Progress& progress);

// Returns whether a file in the batch folder could not be written because the disk is full or a quota is
// reached. In that case, retries and other reports would also fail.
bool isDiskFull(const BatchFolder& folder, const Error& error);

void writeFailure(const BatchFolder& folder, const BatchInput& input, const BatchFailure& failure);
// Returns the stored failure, or nullopt if there is no readable failure.
std::optional<BatchFailure> readFailure(const BatchFolder& folder, const BatchInput& input);

} // namespace lockstep
