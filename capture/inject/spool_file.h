// SPDX-License-Identifier: Apache-2.0
// SpoolFile writes one .lsc file. Blocks appear completely or not at all: a block that a full disk cut short
// is removed again. If the file system can reserve space, each block leaves enough space for the blocks that
// end the file, so that the amount of lost data is recorded even on a full disk. The program may close the
// library's descriptor and reuse its number. Every write therefore first checks that the descriptor still
// refers to the file created here. If it does not, the file is opened again by its path, and abandoned if the
// path leads to another file. No other file is ever written, truncated or closed. Used on the writer thread,
// except for abandon().
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "capture/format/spool_format.h"
#include "capture/inject/descriptors.h"

struct ZSTD_CCtx_s;

namespace lockstep::capture {

struct BlockTimes {
    int64_t first_ns = 0;
    int64_t last_ns = 0;
    uint32_t records = 0;
    uint32_t step = 0; // see LockstepSpoolBlock::step
};

class SpoolFile {
  public:
    SpoolFile() = default;
    ~SpoolFile();
    SpoolFile(const SpoolFile&) = delete;
    SpoolFile& operator=(const SpoolFile&) = delete;

    // Creates folder/STEM.N.lsc with mode 0600, where N is the first free number starting at `index`. Never
    // follows a link. Returns 0 or errno.
    int open(const std::string& folder, const std::string& stem, uint32_t index, const uint8_t session[16]);
    bool isOpen() const { return m_file.load(std::memory_order_relaxed) >= 0; }
    // Makes each further block leave room for the end of the file. Not worthwhile for files that end
    // immediately, because reserving and releasing space takes the file system some milliseconds.
    void reserveEnd() { m_reservesEnd = true; }
    // Returned by append() and finish() if the program has closed the descriptor and the path leads to
    // another file.
    static constexpr int kFileLost = -1;

    // Returns 0, errno or kFileLost. On failure the file is unchanged.
    int append(LockstepSpoolBlockType type, const std::string& payload, const BlockTimes& times);
    // Writes the index and closes the file, even if an error occurs.
    int finish();
    // Closes the file without completing it. In a forked child this releases the file of the parent. Call
    // this function once, from any thread.
    void abandon() noexcept;

    const std::string& path() const { return m_path; }
    uint32_t index() const { return m_index; }
    uint64_t size_bytes() const { return m_size; }

  private:
    int reserve(uint64_t next_bytes);
    void startWriteback();
    int put(const void* head, size_t headSize, const void* body, size_t bodySize);
    bool ownsFile() const noexcept;
    int reopenIfLost() noexcept;

    std::atomic<int> m_file{-1};
    FileIdentity m_identity; // identity of the file opened as m_file
    std::string m_path;
    uint32_t m_index = 0;
    uint64_t m_size = 0;
    uint64_t m_reserved = 0; // space is reserved up to this offset
    uint64_t m_started = 0;  // write-back was started up to this offset
    uint64_t m_limit = 0;    // value of RLIMIT_FSIZE
    bool m_reservesEnd = false;
    bool m_canReserve = true;
    uint64_t m_sequence = 0;
    std::vector<LockstepSpoolIndexEntry> m_index_entries;
    ZSTD_CCtx_s* m_zstd = nullptr;
    std::string m_packed;
};

// Creates a folder and its parents, mode 0700. Returns 0 or errno.
int makeFolders(const std::string& folder);

} // namespace lockstep::capture
