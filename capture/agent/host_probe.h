// SPDX-License-Identifier: Apache-2.0
// Collects host information by reading files and querying the tools that it finds. Changes nothing and needs
// no root privileges.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/session/host_facts.h"

namespace lockstep::agent {

// Detects the C library that programs on this node use. The agent is linked statically, so its own C library
// gives no information. Reads files; any thread.
struct LibcFound {
    std::string kind;    // "glibc", "musl"; "" = neither was found
    std::string version; // version of glibc: "2.36"; "" = unknown
};

// Searches below `root`, which is "/" except in tests.
LibcFound probeLibc(const std::filesystem::path& root = "/");

struct ProbeTargets {
    std::vector<std::filesystem::path> folders;   // must exist; the first is the working folder
    std::vector<std::filesystem::path> writable;  // folders to which the run writes, or which it creates
    std::vector<std::filesystem::path> files;     // must exist
    std::vector<std::string> programs;            // looked up in PATH, as exec does
    std::vector<std::string> names;               // host names of other hosts
    std::vector<std::filesystem::path> checkouts; // folders that may hold a verl or NeMo RL checkout
    std::vector<std::filesystem::path>
        disks; // free space is reported for them, in addition to /tmp and the home folder
    std::string python = "python3"; // the interpreter that training will use
};

// Takes up to several seconds: Python has to import torch and Ray to find their versions.
HostFacts probeHost(const ProbeTargets& targets);

} // namespace lockstep::agent
