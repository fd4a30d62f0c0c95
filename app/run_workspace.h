// SPDX-License-Identifier: Apache-2.0
// RunWorkspace: the end of a run: what was collected, opened on one axis, with the account of how it came to
// be, in one .lockstep file. Any thread; takes as long as opening the reports.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/remote/ledger.h"
#include "core/remote/run_record.h"

namespace lockstep {

// Names of a workspace's sections that a run leaves.
namespace runSection {
inline constexpr const char* kSession = "session.yaml";
inline constexpr const char* kPlan = "plan.json";
inline constexpr const char* kRecord = "run.json";
inline constexpr const char* kLedger = "ledger.json";
inline constexpr const char* kAlignment = "alignment.json"; // the table `alignment` as it was when collected
} // namespace runSection

struct WrittenWorkspace {
    size_t reports = 0;                // opened, the hosts' own counters apart
    size_t hostLogs = 0;               // hosts whose counters are in
    std::string basis;                 // what the axis rests on, one sentence
    std::vector<std::string> problems; // files that could not be opened, and why
    std::filesystem::path kept; // the workspace that was there before, see keepOldWorkspace(); empty: none
};

// Writes the workspace to `output`. The hosts' event logs give their counter lanes. io, canceled.
Result<WrittenWorkspace> writeRunWorkspace(const RunRecord& record, const Ledger& ledger,
                                           const std::filesystem::path& output, const Progress& progress);

} // namespace lockstep
