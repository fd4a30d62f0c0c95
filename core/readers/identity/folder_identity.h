// SPDX-License-Identifier: Apache-2.0
// What the folders above a report file say: Ray sessions, Slurm logs of NeMo RL, verl's save_path layouts,
// Ascend trees.
#pragma once

#include <filesystem>

#include "core/trace/identity.h"

namespace lockstep {

// Adds what the folder names of `path` say, the nearest folder first. Never replaces what `out` knows
// for as sure or surer.
void learnFromFolders(const std::filesystem::path& path, Identity& out);

} // namespace lockstep
