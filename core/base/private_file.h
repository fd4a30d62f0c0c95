// SPDX-License-Identifier: Apache-2.0
// What a run leaves on disk is its user's alone: files 0600 in folders 0700, whatever the umask.
#pragma once

#include <filesystem>

#include "core/base/result.h"

namespace lockstep {

// Where Lockstep puts what it can make again: "lockstep" in $XDG_CACHE_HOME, ~/.cache or the folder for
// passing files, whichever is said first. It need not be there.
std::filesystem::path userCacheFolder();
// Where it puts what outlives a program: $LOCKSTEP_STATE_HOME, else "lockstep" in $XDG_STATE_HOME or
// ~/.local/state. It need not be there.
std::filesystem::path userStateFolder();

// Makes the folders of the path that are not there yet, each with mode 0700; those that exist stay as they
// are. io.
Status makePrivateFolders(const std::filesystem::path& path);
// Makes an empty file of mode 0600 where there is none, and takes others' rights from one that is there. io.
Status makePrivateFile(const std::filesystem::path& path);

} // namespace lockstep
