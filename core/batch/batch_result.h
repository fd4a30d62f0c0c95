// SPDX-License-Identifier: Apache-2.0
// BatchResult: what a task leaves of one report: its columns as they lie in memory, in a .lockstep file that
// the merge maps in place of reading the report, with a section that says of what it was made, by whom and of
// how many rows. Nothing is summed up yet, so every analysis of the merge is that of one process. A report
// that cannot be read leaves the reason instead. Any thread.
#pragma once

#include <optional>

#include "core/base/progress.h"
#include "core/batch/batch_folder.h"
#include "core/trace/workspace.h"

namespace lockstep {

struct BatchResult {
    std::string sha256; // of the report's bytes
    std::string host;   // where the task ran
    uint64_t task = 0;  // its number in the start that made it
    uint64_t slices = 0, reports = 0;
};

struct BatchFailure {
    Error error; // as one process would tell it
    std::string host;
    uint64_t task = 0;

    // Another try would end the same: the file itself is at fault.
    bool isFinal() const { return error.kind != ErrorKind::io && error.kind != ErrorKind::remote; }
};

// Reads the report and leaves its result, or the reason why there is none; canceled leaves neither. The error
// is that of the report, or io where the result cannot be written.
Status makeResult(const BatchFolder& folder, const BatchInput& input, uint64_t task,
                  const Progress& progress);

// What the result says of itself, without its rows: notFound where there is none; corrupt where it is cut or
// damaged; unsupported where it is of another program, another report or another state of it.
Result<BatchResult> checkResult(const BatchFolder& folder, const BatchInput& input);
// The reports, their columns in the file. Errors as checkResult(), and corrupt where its rows are not what it
// says.
Result<Workspace> loadResult(const BatchFolder& folder, const BatchInput& input, const Progress& progress);

// Whether the error is that a file of the batch folder found no room, because the disk is full or a quota is
// reached. Another try would fail likewise, whatever the report.
bool isDiskFull(const BatchFolder& folder, const Error& error);

void writeFailure(const BatchFolder& folder, const BatchInput& input, const BatchFailure& failure);
// Nothing where there is none that can be read.
std::optional<BatchFailure> readFailure(const BatchFolder& folder, const BatchInput& input);

} // namespace lockstep
