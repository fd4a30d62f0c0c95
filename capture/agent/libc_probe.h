// SPDX-License-Identifier: Apache-2.0
// The C library that programs of this node are loaded with. The agent carries its own, so what it was built
// with says nothing. Reads files; any thread.
#pragma once

#include <filesystem>
#include <string>

namespace lockstep::agent {

struct LibcFound {
    std::string kind;    // "glibc", "musl"; "" = neither was found
    std::string version; // of glibc: "2.36"; "" = not told
};

// Looks below `root`, which is "/" but for tests.
LibcFound probeLibc(const std::filesystem::path& root = "/");

} // namespace lockstep::agent
