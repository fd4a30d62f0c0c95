// SPDX-License-Identifier: Apache-2.0
// MappedFile: a whole file as read-only memory. The mapping lasts as long as the object; pages are the
// kernel's, so a file larger than memory is fine. Thread-safe to read.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string_view>

#include "core/base/resident_limit.h"
#include "core/base/result.h"

namespace lockstep {

class MappedFile {
  public:
    // notFound when there is no such file, io when it cannot be read or is no regular file. Empty files are
    // fine.
    static Result<MappedFile> open(const std::filesystem::path& path);

    MappedFile(MappedFile&& other) noexcept;
    MappedFile& operator=(MappedFile&& other) noexcept;
    ~MappedFile();

    std::string_view text() const { return {m_data, m_size}; }
    size_t size() const { return m_size; }
    // Its pages count for a limit from now on, as long as the object lasts.
    void watch(std::shared_ptr<ResidentLimit> limit);
    // Tells the kernel that the first `size_bytes` are read and will not be needed soon.
    void release(size_t begin_bytes, size_t size_bytes) const;

  private:
    MappedFile() = default;

    const char* m_data = nullptr;
    size_t m_size = 0;
    std::shared_ptr<ResidentLimit> m_limit;
};

} // namespace lockstep
