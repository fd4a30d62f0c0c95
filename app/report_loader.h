// SPDX-License-Identifier: Apache-2.0
// ReportLoader: opens many inputs at once for a headless export and keeps the account of what could not be
// opened. Reports stand in the workspace in the order of their inputs, whichever finishes first, with their
// identities settled, without those that only repeat the work of others (see core/trace/repeated_work.h).
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "app/identity_file.h"
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
    // Called from workers after each input, e.g. to draw progress.
    std::function<void(size_t done, size_t total)> onLoaded;
    ReadInput read; // readReports() unless whoever loads brings its own
};

struct LoadedInputs {
    Workspace workspace;
    // One entry per input or per report of a workspace file, then the copies that the search omitted.
    std::vector<InputFile> files;
    std::vector<MemoryBudget::Lease> memory;
};

// Inputs are read side by side as long as there is room for what each will take, about; what finds none
// waits for the others, and is left out, with an error, once none of those that wait has room beside what is
// loaded. canceled is the only error; an input that fails keeps its error in files.
Result<LoadedInputs> loadInputs(const FoundReports& found, const LoadOptions& options, MemoryBudget& memory,
                                const Progress& progress);

// Fills sha256 of all files that can be read and have none yet. canceled is the only error.
Status addDigests(std::vector<InputFile>& files, const Progress& progress);

} // namespace lockstep
