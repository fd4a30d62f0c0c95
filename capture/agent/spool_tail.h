// SPDX-License-Identifier: Apache-2.0
// SpoolTail: one capture spool of this node while it grows: which blocks of it are whole, and their bytes
// when they are asked for. Of a block only its head is held, so a spool of any size costs little. What
// happens to the file (cut, replaced, gone, damaged) is told, never trusted. Made by the LiveSender; one
// thread.
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
    uint64_t offset = 0; // of its head in the file
    LockstepSpoolBlock head = {};

    uint64_t size_bytes() const { return sizeof head + head.stored_bytes; }
};

class SpoolTail {
  public:
    enum class State : uint8_t {
        begun,     // no whole header yet
        growing,   // or at rest: nobody can tell
        ended,     // in order: its index stands behind its blocks
        unknown,   // its header is no spool's, or a later version's
        vanished,  // no file has this name any more
        replaced,  // another file has
        truncated, // shorter than what was read of it
    };
    static constexpr size_t kMostPending = 100'000;            // heads held; older ones are dropped first
    static constexpr auto kPatience = std::chrono::seconds(1); // with a block whose checksum is not yet right

    explicit SpoolTail(std::filesystem::path path);
    SpoolTail(SpoolTail&& other) noexcept;
    SpoolTail& operator=(SpoolTail&&) = delete;
    ~SpoolTail();

    // Finds what was appended since. O(new blocks); reads heads only.
    void look();
    State state() const { return m_state; }
    // The file's first bytes, whole once it is growing(); its checksum in hexadecimal tells spools apart.
    const std::string& header() const { return m_header; }
    std::string id() const;
    const std::filesystem::path& path() const { return m_path; }

    // Blocks that were found and not taken yet, in the file's order. The holder takes them off.
    std::deque<TailBlock>& pending() { return m_pending; }
    const std::deque<TailBlock>& pending() const { return m_pending; }
    // Heads dropped for want of room, or because no block stood there; the caller sets them to 0.
    uint64_t damaged_bytes = 0;
    // Latest stamp of all blocks found; INT64_MIN before the first.
    int64_t newest_ns() const { return m_newest_ns; }

    enum class Reading : uint8_t { whole, notYet, damaged };
    // A pending block's head and payload as they stand in the file. notYet: its checksum may come to be
    // right; ask again.
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
    uint64_t m_offset = 0;   // where the next block is looked for
    uint64_t m_searched = 0; // where the search for one behind damage goes on; 0: none is under way
    int64_t m_newest_ns = INT64_MIN;
    bool m_isBehindIndex = false;
    std::deque<TailBlock> m_pending;
    uint64_t m_doubted = 0; // offset of the block whose checksum was wrong when read last
    std::chrono::steady_clock::time_point m_doubtedSince;
};

} // namespace lockstep::agent
