// ReportLoader: opens many inputs at once for a headless export and keeps the account of what could not be
// opened. Reports stand in the workspace in the order of their inputs, whichever finishes first, with their
// identities settled.
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "app/identity_file.h"
#include "core/analysis/input_file.h"
#include "core/base/progress.h"
#include "core/trace/workspace.h"

namespace lockstep {

struct LoadOptions {
    uint64_t memoryLimit_bytes =
        0; // resident memory above which no further input is begun; 0 = 70 % of the machine's
    const IdentityFile* identities = nullptr;
    // Called from workers after each input, e.g. to draw progress.
    std::function<void(size_t done, size_t total)> onLoaded;
};

struct LoadedInputs {
    Workspace workspace;
    std::vector<InputFile> files; // by input; one for each report of a workspace file
};

// canceled is the only error; an input that fails keeps its error in files.
Result<LoadedInputs> loadInputs(const std::vector<std::filesystem::path>& paths, const LoadOptions& options,
                                const Progress& progress);

// Fills sha256 of all files that can be read. canceled is the only error.
Status addDigests(std::vector<InputFile>& files, const Progress& progress);

// Memory that this process holds now, and that the machine has; 0 where the system does not say.
uint64_t residentMemory_bytes();
uint64_t machineMemory_bytes();

} // namespace lockstep
