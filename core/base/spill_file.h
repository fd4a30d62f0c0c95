// SPDX-License-Identifier: Apache-2.0
// SpillFile: memory that is a file's, for what is too large for the machine's own: the kernel writes it out
// and brings it back as it is touched. The file has no name, so whatever ends the program, nothing of it
// stays; it can be given one once it is complete. Its space is asked of the disk before it is handed out: a
// full disk is an error, never a signal. Any thread.
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
    // In a folder that is there. io where no file can be made in it. limit may be null: pages stay until the
    // kernel takes them.
    static Result<std::shared_ptr<SpillFile>> create(const std::filesystem::path& folder,
                                                     std::shared_ptr<ResidentLimit> limit);
    ~SpillFile();
    SpillFile(const SpillFile&) = delete;
    SpillFile& operator=(const SpillFile&) = delete;

    // Zeros, at the begin of a page; nullptr where the disk has no room for them: status() says so from then
    // on. Stays until give() or until the file goes.
    void* take(size_t size_bytes);
    // What take() returned: its space is the disk's again.
    void give(void* memory);
    // io once take() or append() failed, with the file's folder and what to do.
    Status status() const;
    const std::shared_ptr<ResidentLimit>& limit() const { return m_limit; }
    bool hasFailed() const { return m_hasFailed.load(std::memory_order_relaxed); }

    // Writes behind all that was taken and appended, unmapped.
    void append(std::string_view bytes);
    // Writes over what was appended first, before anything was taken.
    void writeBegin(std::string_view bytes);
    uint64_t size_bytes() const;
    // Where memory that was taken lies in the file; nothing for other memory.
    std::optional<uint64_t> offsetOf(const void* memory) const;
    // Nothing taken can be written any more: an attempt is a crash, not a damaged file.
    void seal();
    // Gives the file a name; a file that has it already stays in its place. Not told to the disk: who reads
    // it must check it. io; unsupported where the file system cannot name such a file.
    Status name(const std::filesystem::path& path);

  private:
    struct Taken {
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
    std::map<const char*, Taken> m_taken; // by address
    std::optional<Error> m_failure;
    std::atomic<bool> m_hasFailed = false;
};

} // namespace lockstep
