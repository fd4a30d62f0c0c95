// SPDX-License-Identifier: Apache-2.0
// Derives an identity from the folders of a report file: Ray sessions, logs of Slurm jobs, Ascend
// trees, and the folders in the recipes of the frameworks.
#pragma once

#include <filesystem>

#include "core/trace/identity.h"

namespace lockstep {

// Adds information from the folder names of `path`, starting with the nearest folder. Never replaces values
// in `out` that have the same or a higher confidence.
void learnFromFolders(const std::filesystem::path& path, Identity& out);

} // namespace lockstep
