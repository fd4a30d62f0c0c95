// SPDX-License-Identifier: Apache-2.0
// OversizedFile: a small file of one format whose rows take far more memory than its size promises, made by
// repeating a packed piece, so that writing one needs neither memory nor time. For tests of the memory limit.
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

namespace lockstep::test {

struct OversizedFile {
    const char* name; // of the test's row
    // Writes the file into a folder; empty where it could not be written.
    std::function<std::filesystem::path(const std::filesystem::path& folder)> write;
};

// One for each format that is read, but for those that other programs convert and for workspaces, which the
// program itself writes. Unpacked, each takes 250 MB or more.
std::vector<OversizedFile> oversizedFiles();

} // namespace lockstep::test
