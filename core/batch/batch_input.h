// SPDX-License-Identifier: Apache-2.0
// BatchInput is one report of a batch, together with the version of its file when the batch began. A changed
// file is a different input, so results from the earlier version are not used for it. Created by the batch
// command, read by tasks. Any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace lockstep {

// Size, modification time and inode of a file. They are the same on all machines that share the file system.
// All are 0 if the file does not exist.
struct InputStamp {
    uint64_t size_bytes = 0;
    int64_t modified_ns = 0;
    uint64_t inode = 0;

    friend bool operator==(const InputStamp&, const InputStamp&) = default;
};

InputStamp stampOf(const std::filesystem::path& path);

struct BatchInput {
    std::filesystem::path path;
    InputStamp stamp;
    uint64_t memory_bytes = 0; // estimated memory that the opened report needs
    std::string key;           // used in the file name of the result; derived from path, stamp and program
};

// Returns a description of this program that includes its build ID, because two builds of the same version
// may read a file differently.
std::string thisProgram();

// Returns the input with the current stamp and its key.
BatchInput batchInput(const std::filesystem::path& path, uint64_t memory_bytes);

// Returns the files that match a pattern (* ? [), sorted. Returns the pattern itself if a file with that name
// exists or nothing matches.
std::vector<std::filesystem::path> filesOfPattern(const std::string& pattern);

// Encodes a path, which may contain any bytes except NUL, as UTF-8 for JSON. Valid UTF-8 is unchanged;
// otherwise returns "hex:" followed by the bytes in hexadecimal.
std::string jsonNameOf(const std::filesystem::path& path);
// Decodes a path encoded by jsonNameOf(). Returns corrupt if a hexadecimal digit is invalid.
Result<std::filesystem::path> pathOfJsonName(const std::string& name);

} // namespace lockstep
