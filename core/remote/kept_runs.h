// SPDX-License-Identifier: Apache-2.0
// The folders of earlier runs on this machine (run_record.h): their size and their removal. Workspaces and
// collected reports are stored elsewhere and stay. Any thread; reads and removes files at once.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/remote/run_record.h"

namespace lockstep {

// What all kept runs together may take before ended ones are removed, and the age below which none is.
inline constexpr uint64_t kMostKept_bytes = uint64_t(8) << 30;
inline constexpr int64_t kYoungestRemoved_days = 30;

// Bytes on disk of a run's folder here. Links are not followed.
uint64_t keptBytes(const RunRecord& record);
// Removes the run's folder here, the record last, so that an interrupted removal can be repeated. io: another
// program watches the run, or the folder cannot be removed.
Status removeKeptRun(const RunRecord& record);
// Every host that was started has reported its end; a host that was never started has none to report.
bool isRunOver(const RunRecord& record);
// Started at least this many days ago.
bool isOlderThan(const RunRecord& record, double days, int64_t now_ns);

struct KeptRunsLimit {
    std::vector<std::string> removed; // ids, oldest first
    uint64_t removed_bytes = 0;
    uint64_t kept_bytes = 0; // afterwards
};
// Where the runs together take more than most_bytes, removes the oldest that have ended and are older than
// kYoungestRemoved_days until they do not.
KeptRunsLimit limitKeptRuns(std::span<const RunRecord> newestFirst, int64_t now_ns,
                            uint64_t most_bytes = kMostKept_bytes);

} // namespace lockstep
