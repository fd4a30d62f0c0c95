// SPDX-License-Identifier: Apache-2.0
// OversizedFile is a small file of one format whose rows need far more memory than its size suggests. It
// repeats a compressed piece, so writing it needs neither memory nor time. For tests of the memory limit.
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

namespace lockstep::test {

struct OversizedFile {
    const char* name; // name of the test row
    // Writes the file to a folder; returns an empty path on failure.
    std::function<std::filesystem::path(const std::filesystem::path& folder)> write;
};

// One for each supported format, except formats converted by other programs and workspaces, which the program
// itself writes. Unpacked, each needs 250 MB or more.
std::vector<OversizedFile> oversizedFiles();

} // namespace lockstep::test
