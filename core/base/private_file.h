// SPDX-License-Identifier: Apache-2.0
// Private files and folders: mode 0600 and 0700, regardless of the umask.
#pragma once

#include <filesystem>

#include "core/base/result.h"

namespace lockstep {

// Returns the folder for data that Lockstep can recreate: "lockstep" in the first that is available of
// $XDG_CACHE_HOME, ~/.cache and the temporary folder. The folder may not exist.
std::filesystem::path userCacheFolder();
// Returns the folder for persistent state: $LOCKSTEP_STATE_HOME, otherwise "lockstep" in $XDG_STATE_HOME or
// ~/.local/state. The folder may not exist.
std::filesystem::path userStateFolder();

// Creates missing folders of the path with mode 0700; existing folders stay unchanged. Returns io on failure.
Status makePrivateFolders(const std::filesystem::path& path);
// Creates an empty file with mode 0600, or restricts an existing file to its owner. Returns io on failure.
Status makePrivateFile(const std::filesystem::path& path);

} // namespace lockstep
