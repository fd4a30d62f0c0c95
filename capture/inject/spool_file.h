// SPDX-License-Identifier: Apache-2.0
// SpoolFile: one .lsc file being written. Blocks appear whole or not at all: what a full disk cut short is
// cut off again. Where the file system can reserve room, each block leaves enough of it for the blocks that
// end the file, so that a full disk does not hide how much was lost. The program may close our descriptor and
// use its number for a file of its own, so every write first checks that the descriptor still refers to the
// file that was made here; if not, the file is opened again by its path, and given up where that is another
// file by now. Nothing else is ever written to, truncated or closed. The writer thread's, except abandon().
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "capture/format/spool_format.h"
#include "capture/inject/descriptors.h"

struct ZSTD_CCtx_s;

namespace lockstep::capture {

struct BlockStamps {
    int64_t first_ns = 0;
    int64_t last_ns = 0;
    uint32_t records = 0;
};

class SpoolFile {
  public:
    SpoolFile() = default;
    ~SpoolFile();
    SpoolFile(const SpoolFile&) = delete;
    SpoolFile& operator=(const SpoolFile&) = delete;

    // Makes folder/STEM.N.lsc with the first free N from `index` on, 0600, never through a link. 0, or errno.
    int open(const std::string& folder, const std::string& stem, uint32_t index, const uint8_t session[16]);
    bool isOpen() const { return m_file.load(std::memory_order_relaxed) >= 0; }
    // From now on each block leaves room for what ends the file. Not for files that are ended at once:
    // reserving room and giving it back takes the file system some milliseconds.
    void keepRoom() { m_keepsRoom = true; }
    // What append() and finish() return once the program has taken the descriptor and the path leads
    // elsewhere.
    static constexpr int kTakenAway = -1;

    // 0, errno or kTakenAway: then the file is as it was before.
    int append(LockstepSpoolBlockType type, const std::string& payload, const BlockStamps& stamps);
    // Writes the index and closes. The file is closed whatever comes back.
    int finish();
    // Closes the file as it is. In a forked child: lets go of its parent's file. Once only, any thread.
    void abandon() noexcept;

    const std::string& path() const { return m_path; }
    uint32_t index() const { return m_index; }
    uint64_t size_bytes() const { return m_size; }

  private:
    int reserve(uint64_t next_bytes);
    void startWriteback();
    int put(const void* head, size_t headSize, const void* body, size_t bodySize);
    bool holdsItsFile() const noexcept;
    int takeHold() noexcept;

    std::atomic<int> m_file{-1};
    FileIdentity m_identity; // of the file that m_file was opened for
    std::string m_path;
    uint32_t m_index = 0;
    uint64_t m_size = 0;
    uint64_t m_reserved = 0; // the file system has room for the file up to here
    uint64_t m_started = 0;  // the kernel writes back the file up to here
    uint64_t m_limit = 0;    // RLIMIT_FSIZE
    bool m_keepsRoom = false;
    bool m_canReserve = true;
    uint64_t m_sequence = 0;
    std::vector<LockstepSpoolIndexEntry> m_index_entries;
    ZSTD_CCtx_s* m_zstd = nullptr;
    std::string m_packed;
};

// Makes a folder and those above it, 0700. 0, or errno.
int makeFolders(const std::string& folder);

} // namespace lockstep::capture
