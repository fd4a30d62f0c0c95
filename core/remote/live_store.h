// SPDX-License-Identifier: Apache-2.0
// LiveStore: what a host's live stream has brought so far, as spools on this machine's disk: one growing file
// for each of the host's, 0600 in a folder of 0700, which the reader of captures reads like any other.
// Nothing that a host says is believed: names are made ours, sizes and counts are bounded, blocks are proved
// by their checksums; what does not hold is counted and told. Written by the LiveFeed, in its thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/readers/capture_spool/live_stream.h"

namespace lockstep {

struct LiveSpool {
    std::filesystem::path path;                     // on this machine
    std::string id;                                 // its header's checksum
    uint64_t bytes = 0;                             // of the file: header and whole blocks
    uint64_t nextBlock = 0;                         // the number of the first block that is not here
    uint64_t skippedBlocks = 0, skippedRecords = 0; // that the host says it did not send
    int64_t newest_ns = INT64_MIN;                  // latest stamp here, on the spool's clock
    int64_t newestThere_ns = INT64_MIN;             // and in the host's file, as it says
    bool isDone = false;                            // no more of it comes
};

// A clock of the host at a moment of ours.
struct LiveClock {
    int64_t monotonicRaw_ns = 0;
    std::chrono::steady_clock::time_point arrived;

    // What it says now.
    int64_t now_ns() const
    {
        return monotonicRaw_ns + std::chrono::nanoseconds(std::chrono::steady_clock::now() - arrived).count();
    }
};

class LiveStore {
  public:
    static constexpr size_t kMostSpools = 4096;
    static constexpr size_t kMostNotes = 200;
    static constexpr uint64_t kMostBytes = uint64_t(16) << 30; // on this disk, for one host

    // folder: of this host alone, made when the first spool comes.
    explicit LiveStore(std::filesystem::path folder, uint64_t most_bytes = kMostBytes);

    // A new stream of the same host begins: its numbers mean other files.
    void beginStream();
    // The bytes that `lockstep-agent live --have` is given on standard input.
    std::string haveLine() const;
    // corrupt: the stream is none of our agent's, and is to be ended.
    Status take(const LiveFrame& frame);

    const std::vector<LiveSpool>& spools() const { return m_spools; }
    const std::optional<LiveClock>& clock() const { return m_clock; }
    // What went wrong, for people, each once.
    const std::vector<std::string>& notes() const { return m_notes; }
    bool hasEnded() const { return m_hasEnded; } // the run has, and all of it is here

  private:
    Status takeFile(const LiveFrame& frame);
    Status takeBlock(const LiveFrame& frame);
    void takeSkipped(const Json& head);
    void takeLag(const Json& head);
    bool append(LiveSpool& spool, std::string_view bytes, int more);
    LiveSpool* spoolOf(const Json& head);
    void note(std::string text);

    std::filesystem::path m_folder;
    uint64_t m_most_bytes;
    uint64_t m_held_bytes = 0;
    std::vector<LiveSpool> m_spools;
    std::map<uint64_t, size_t> m_byNumber; // of the stream
    std::optional<LiveClock> m_clock;
    std::vector<std::string> m_notes;
    bool m_hasEnded = false;
};

// A name for a file here: letters, digits and _.=+- of the name there, 128 at most, ending in ".lsc".
std::string safeSpoolName(std::string_view name);

} // namespace lockstep
