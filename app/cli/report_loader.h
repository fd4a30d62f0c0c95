// SPDX-License-Identifier: Apache-2.0
// loadInputs() opens many inputs in parallel for a headless export and records which inputs could not be
// opened. The reports in the workspace are in input order and have resolved identities. Reports that only
// duplicate the work in other reports are omitted (see core/trace/repeated_work.h).
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "app/cli/identity_file.h"
#include "core/analysis/input_file.h"
#include "core/base/memory_budget.h"
#include "core/base/progress.h"
#include "core/readers/report_search.h"
#include "core/trace/workspace.h"

namespace lockstep {

using ReadInput =
    std::function<Result<Workspace>(const std::filesystem::path& path, const Progress& progress)>;

struct LoadOptions {
    const IdentityFile* identities = nullptr;
    // Called from workers after each input, e.g. to show progress.
    std::function<void(size_t done, size_t total)> onLoaded;
    ReadInput read; // reads one input; default: readReports()
};

struct LoadedInputs {
    Workspace workspace;
    // One entry per input or per report of a workspace file, followed by the copies that the search omitted.
    std::vector<InputFile> files;
    std::vector<MemoryBudget::Lease> memory;
};

// Reads inputs in parallel while their estimated memory fits into the budget. The remaining inputs are read
// later; they fail with an error once none of them fits into the remaining budget. Errors of individual
// inputs are stored in `files`; the only possible error returned is ErrorKind::canceled.
Result<LoadedInputs> loadInputs(const FoundReports& found, const LoadOptions& options, MemoryBudget& memory,
                                const Progress& progress);

// Computes the sha256 of all readable files for which it is missing. The only possible error is
// ErrorKind::canceled.
Status addDigests(std::vector<InputFile>& files, const Progress& progress);

} // namespace lockstep
