// SPDX-License-Identifier: Apache-2.0
// writeRunWorkspace() writes the collected reports of a run, aligned on one time axis, together with the
// records of the run, to a single .lockstep file. Any thread; takes about as long as opening the reports.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/remote/ledger.h"
#include "core/remote/run_record.h"

namespace lockstep {

// Names of the workspace sections that are written for a run.
namespace runSection {
inline constexpr const char* kSession = "session.yaml";
inline constexpr const char* kPlan = "plan.json";
inline constexpr const char* kRecord = "run.json";
inline constexpr const char* kLedger = "ledger.json";
// The `alignment` table as it was at the time of collection.
inline constexpr const char* kAlignment = "alignment.json";
} // namespace runSection

struct WrittenWorkspace {
    size_t reports = 0;          // number of opened reports, not counting host counters
    size_t hostLogs = 0;         // number of hosts with counters in the workspace
    std::string basis;           // basis of the alignment, one sentence
    std::vector<Error> problems; // files that could not be opened, with the reasons
    std::filesystem::path
        backup; // backup of an existing workspace, see backUpWorkspace(); empty if there is none
};

// Writes the workspace to `output`. Host event logs become counter lanes. Errors: io, canceled.
Result<WrittenWorkspace> writeRunWorkspace(const RunRecord& record, const Ledger& ledger,
                                           const std::filesystem::path& output, const Progress& progress);

} // namespace lockstep
