// SPDX-License-Identifier: Apache-2.0
// The folders of earlier runs on this machine (run_record.h): their sizes, their ends and their removal.
// Workspaces and reports that were collected to another folder are not removed. Any thread; reads and removes
// files synchronously.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/remote/run_record.h"

namespace lockstep {

// Total size of stored runs above which ended runs are removed, and the minimum age for removal.
inline constexpr uint64_t kMaxStoredRuns_bytes = uint64_t(8) << 30;
inline constexpr int64_t kMinRemovalAge_days = 30;

// Returns when the newest event of the run was stored on this machine, in Unix-epoch ns; 0 if there is none.
int64_t lastStored_ns(const RunRecord& record);

// Returns the size on disk of a run's local folder in bytes. Does not follow links.
uint64_t storedBytes(const RunRecord& record);
// Removes the run's local folder. The record is removed last, so that an interrupted removal can be repeated.
// Returns io if another program is watching the run, or if the folder cannot be removed.
Status removeStoredRun(const RunRecord& record);
// How a run ended, according to the last events of its hosts in the local folder.
enum class StoredEnd : uint8_t {
    none,      // a host that was started has not reported its end
    unknown,   // ended; the events do not state how, or no host was started
    succeeded, // every host ended with exit code 0
    stopped,   // ended because a stop was requested, and no host failed
    failed     // a host ended with a failure
};
StoredEnd storedEnd(const RunRecord& record);
// Returns whether every host that was started has reported its end.
bool isRunOver(const RunRecord& record);
// Returns whether the run was started at least this many days ago.
bool isOlderThan(const RunRecord& record, double days, int64_t now_ns);

struct RunPruning {
    std::vector<std::string> removed; // IDs, oldest first
    uint64_t removed_bytes = 0;
    uint64_t stored_bytes = 0; // total size after the removal
};
// If the runs together take more than max_bytes, removes ended runs that are older than
// kMinRemovalAge_days, oldest first, until the total size is within the limit.
RunPruning pruneRuns(std::span<const RunRecord> newestFirst, int64_t now_ns,
                     uint64_t max_bytes = kMaxStoredRuns_bytes);

} // namespace lockstep
