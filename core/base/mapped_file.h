// SPDX-License-Identifier: Apache-2.0
// MappedFile: a whole file mapped as read-only memory. The mapping lasts as long as the object. The Linux
// kernel manages the pages, so the file may be larger than memory. Thread-safe for reading.
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
    // Maps a file. Returns notFound if the file does not exist, and io if it cannot be read or is not a
    // regular file. Empty files are allowed.
    static Result<MappedFile> open(const std::filesystem::path& path);

    MappedFile(MappedFile&& other) noexcept;
    MappedFile& operator=(MappedFile&& other) noexcept;
    ~MappedFile();

    std::string_view text() const { return {m_data, m_size}; }
    size_t size() const { return m_size; }
    // Counts the pages toward `limit` from now on until this object is destroyed.
    void watch(std::shared_ptr<ResidentLimit> limit);
    // Advises the Linux kernel that `size_bytes` bytes from `begin_bytes` will not be needed soon.
    void release(size_t begin_bytes, size_t size_bytes) const;

  private:
    MappedFile() = default;

    const char* m_data = nullptr;
    size_t m_size = 0;
    std::shared_ptr<ResidentLimit> m_limit;
};

} // namespace lockstep
