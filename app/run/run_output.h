// SPDX-License-Identifier: Apache-2.0
// Output paths of a run on this machine: its workspace and the folder of its reports. Pure, except for
// checkRunOutput(). Any thread.
#pragma once

#include <filesystem>

#include "core/base/result.h"

namespace lockstep {

// Returns the folder for collected reports: a folder next to the workspace, with the same name minus the
// extension. If the workspace has no extension, ".reports" is appended.
std::filesystem::path collectionFolderFor(const std::filesystem::path& workspace);

// Checks that the workspace and the reports can be written after the run, by writing and removing a test file
// next to the workspace or in the nearest existing parent folder. Errors: invalid, io (with the reason).
Status checkRunOutput(const std::filesystem::path& workspace);

} // namespace lockstep
