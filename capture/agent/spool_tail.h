// SPDX-License-Identifier: Apache-2.0
// SpoolTail follows one capture file of this node while the file grows: it finds complete blocks and reads
// their bytes on request. Only block headers are stored, so memory use does not depend on the file size.
// Changes to the file (truncated, replaced, removed, corrupt) are reported, and its content is never trusted.
// Created by LiveSender; one thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>

#include "capture/format/spool_format.h"

namespace lockstep::agent {

struct TailBlock {
    uint64_t offset = 0; // offset of the block header in the file
    LockstepSpoolBlock head = {};

    uint64_t size_bytes() const { return sizeof head + head.stored_bytes; }
};

class SpoolTail {
  public:
    enum class State : uint8_t {
        begun,     // no complete header yet
        growing,   // growing or idle, which look the same
        ended,     // complete: its index follows its blocks
        unknown,   // the header is not that of a capture file, or is from a newer version
        vanished,  // no file has this name any more
        replaced,  // another file has this name
        truncated, // shorter than the part that was already read
    };
    // Maximum number of stored headers; the oldest are dropped first.
    static constexpr size_t kMaxPending = 100'000;
    static constexpr auto kMismatchTimeout =
        std::chrono::seconds(1); // how long to wait for a block whose checksum does not match yet

    explicit SpoolTail(std::filesystem::path path);
    SpoolTail(SpoolTail&& other) noexcept;
    SpoolTail& operator=(SpoolTail&&) = delete;
    ~SpoolTail();

    // Finds blocks that were appended since the last call. Reads only headers; O(new blocks).
    void poll();
    State state() const { return m_state; }
    // Returns the first bytes of the file, which are complete once the state is growing. Their checksum in
    // hexadecimal, id(), distinguishes capture files.
    const std::string& header() const { return m_header; }
    std::string id() const;
    const std::filesystem::path& path() const { return m_path; }

    // Returns the blocks that were found and not yet consumed, in file order. The owner removes them.
    std::deque<TailBlock>& pending() { return m_pending; }
    const std::deque<TailBlock>& pending() const { return m_pending; }
    // Number of bytes that were dropped for lack of room, or because they contained no valid block. The
    // caller resets the count to 0.
    uint64_t damaged_bytes = 0;
    // Returns the latest timestamp of all blocks found, or INT64_MIN if no block was found.
    int64_t newest_ns() const { return m_newest_ns; }

    enum class Reading : uint8_t { whole, notYet, damaged };
    // Reads the header and payload of a pending block. notYet: the checksum does not match yet; call again.
    Reading read(const TailBlock& block, std::string& bytes);

  private:
    bool readHeader(uint64_t size);
    bool takeBlock(uint64_t size);
    bool findNextBlock(uint64_t size);
    void checkEnd(uint64_t size);

    std::filesystem::path m_path;
    int m_fd = -1;
    State m_state = State::begun;
    std::string m_header;
    uint64_t m_offset = 0;   // where the next block is expected
    uint64_t m_searched = 0; // where the search for a block after corrupt data continues; 0 = no search
    int64_t m_newest_ns = INT64_MIN;
    bool m_isPastIndex = false;
    std::deque<TailBlock> m_pending;
    uint64_t m_mismatchOffset = 0; // offset of the block whose checksum did not match at the last read
    std::chrono::steady_clock::time_point m_mismatchSince;
};

} // namespace lockstep::agent
