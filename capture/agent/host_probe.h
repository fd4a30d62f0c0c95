// SPDX-License-Identifier: Apache-2.0
// Finds out what a node has. Reads files and asks the tools it finds about themselves; changes nothing, needs
// no root.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/session/host_facts.h"

namespace lockstep::agent {

struct ProbeWishes {
    std::vector<std::filesystem::path> folders;   // that must be there; the first is the working folder
    std::vector<std::filesystem::path> writable;  // folders that the run writes to, or makes
    std::vector<std::filesystem::path> files;     // that must be there
    std::vector<std::string> programs;            // looked up in PATH as exec does
    std::vector<std::string> names;               // of other hosts
    std::vector<std::filesystem::path> checkouts; // folders that may hold a verl or NeMo RL checkout
    std::vector<std::filesystem::path> disks; // whose free space is asked for, besides /tmp's and the home's
    std::string python = "python3";           // the interpreter that training will use
};

// Takes up to some seconds: Python has to import torch and Ray to tell their versions.
HostFacts probeHost(const ProbeWishes& wishes);

} // namespace lockstep::agent
