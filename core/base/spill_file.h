// SPDX-License-Identifier: Apache-2.0
// SpillFile: memory backed by a file, for data that exceeds the machine's memory. The Linux kernel writes
// pages to disk and reloads them on access. The file has no name, so nothing remains when the program ends;
// it can be named once it is complete. Disk space is allocated before memory is returned to the caller, so
// that a full disk causes an error and never a signal. Any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>

#include "core/base/resident_limit.h"
#include "core/base/result.h"

namespace lockstep {

class SpillFile {
  public:
    // Creates a file in an existing folder. Returns io on failure. `limit` may be null; pages then stay in
    // memory until the Linux kernel evicts them.
    static Result<std::shared_ptr<SpillFile>> create(const std::filesystem::path& folder,
                                                     std::shared_ptr<ResidentLimit> limit);
    ~SpillFile();
    SpillFile(const SpillFile&) = delete;
    SpillFile& operator=(const SpillFile&) = delete;

    // Returns zeroed, page-aligned memory, or nullptr if the disk is full; status() then returns the error.
    // The memory is valid until release(), or until the file is destroyed.
    void* take(size_t size_bytes);
    // Releases memory returned by take(), and its disk space.
    void release(void* memory);
    // Returns io, with the folder and the remedy, if take() or append() has failed.
    Status status() const;
    const std::shared_ptr<ResidentLimit>& limit() const { return m_limit; }
    bool hasFailed() const { return m_hasFailed.load(std::memory_order_relaxed); }

    // Appends bytes after all data taken or appended so far; the bytes are not mapped.
    void append(std::string_view bytes);
    // Overwrites the bytes that were appended first, before any take().
    void writeBegin(std::string_view bytes);
    uint64_t size_bytes() const;
    // Returns the file offset of memory returned by take(), or nullopt for other memory.
    std::optional<uint64_t> offsetOf(const void* memory) const;
    // Write-protects all memory returned by take(): a later write crashes instead of corrupting the file.
    void seal();
    // Gives the file a name. An existing file with that name is preserved. Nothing is synced to disk, so
    // readers must verify the file. Returns io on failure, and unsupported if the file system cannot give a
    // name to such a file.
    Status name(const std::filesystem::path& path);

  private:
    struct Allocation {
        size_t size_bytes;
        uint64_t offset;
    };

    SpillFile() = default;
    void fail(int error);
    void writeAt(std::string_view bytes, uint64_t offset);

    std::filesystem::path m_folder;
    std::shared_ptr<ResidentLimit> m_limit;
    mutable std::mutex m_mutex;
    int m_file = -1;
    bool m_canBeNamed = false;
    uint64_t m_size_bytes = 0;
    std::map<const char*, Allocation> m_taken; // by address
    std::optional<Error> m_failure;
    std::atomic<bool> m_hasFailed = false;
};

} // namespace lockstep
