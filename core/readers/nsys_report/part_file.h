// SPDX-License-Identifier: Apache-2.0
// PartFile: a file that is being created; its destructor removes it.
#pragma once

#include <filesystem>

namespace lockstep {

struct PartFile {
    std::filesystem::path path;

    explicit PartFile(std::filesystem::path made) : path(std::move(made)) {}
    PartFile(const PartFile&) = delete;
    PartFile& operator=(const PartFile&) = delete;
    ~PartFile()
    {
        std::error_code ignored;
        std::filesystem::remove(path, ignored);
    }
};

} // namespace lockstep
