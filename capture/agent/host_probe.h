// SPDX-License-Identifier: Apache-2.0
// The `probe` command collects host information by reading files and querying the tools that it finds. It
// changes nothing and needs no root privileges.
#pragma once

#include <filesystem>
#include <string>

namespace lockstep::agent {

// Detects the C library that programs on this node use. The agent is linked statically, so its own C library
// gives no information. Reads files; any thread.
struct LibcFound {
    std::string kind;    // "glibc", "musl"; "" = neither was found
    std::string version; // version of glibc: "2.36"; "" = unknown
};

// Searches below `root`, which is "/" except in tests.
LibcFound probeLibc(const std::filesystem::path& root = "/");

} // namespace lockstep::agent
