// SPDX-License-Identifier: Apache-2.0
// BatchInput: one report of a batch, and which state of its file the batch saw. A file that changes is
// another input: what was made of the earlier state is not taken for it. Made by the batch command, read by
// tasks. Any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace lockstep {

// Size, time and inode, as the file system says them: the same on all machines that share it. All 0 where
// there is no such file.
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
    uint64_t memory_bytes = 0; // about what it takes once it is open
    std::string key;           // names its result: of its path, its stamp and this program
};

// Which Lockstep this is, to the build: two that call themselves the same version may read a file
// differently.
std::string thisProgram();

// The stamp as it is now, and the key for it.
BatchInput batchInput(const std::filesystem::path& path, uint64_t memory_bytes);

// The files that a pattern (* ? [) stands for, sorted; the pattern itself where a file of that name is there
// or nothing matches.
std::vector<std::filesystem::path> filesOfPattern(const std::string& pattern);

// Names may hold any bytes but NUL; JSON holds UTF-8. For a text: itself, or with "hex:" in front its bytes.
std::string jsonNameOf(const std::filesystem::path& path);
// corrupt where the hexadecimal digits are none.
Result<std::filesystem::path> pathOfJsonName(const std::string& name);

} // namespace lockstep
