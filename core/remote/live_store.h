// SPDX-License-Identifier: Apache-2.0
// LiveStore stores the data of a host's live stream as capture files (spools) on this machine. Each file of
// the host has one growing local file, with mode 0600 in a folder with mode 0700, which is readable like any
// other capture file. The host is not trusted: names are sanitized, sizes and counts are limited, and blocks
// are verified by their checksums. Violations are counted and reported. Written by LiveFeed on its thread.
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
    std::filesystem::path path; // path on this machine
    std::string id;             // checksum of its header
    uint64_t bytes = 0;         // size of the file: header and complete blocks
    uint64_t nextBlock = 0;     // number of the first missing block
    // Blocks and records that the host did not send, as it reported.
    uint64_t skippedBlocks = 0, skippedRecords = 0;
    int64_t newest_ns = INT64_MIN;      // latest time in this file, on the file's clock
    int64_t newestThere_ns = INT64_MIN; // latest time in the host's file, as the host reports it
    bool isDone = false;                // no more data follows
};

// A reading of the host's clock with the local time of its arrival.
struct LiveClock {
    int64_t monotonicRaw_ns = 0;
    std::chrono::steady_clock::time_point arrived;

    // Returns the estimated current value of the host's clock.
    int64_t now_ns() const
    {
        return monotonicRaw_ns + std::chrono::nanoseconds(std::chrono::steady_clock::now() - arrived).count();
    }
};

class LiveStore {
  public:
    static constexpr size_t kMaxSpools = 4096;
    static constexpr size_t kMaxNotes = 200;
    static constexpr uint64_t kMaxBytes = uint64_t(16) << 30; // maximum size on the local disk, per host

    // `folder` is used only for this host. It is created when the first file arrives.
    explicit LiveStore(std::filesystem::path folder, uint64_t most_bytes = kMaxBytes);

    // Starts a new stream from the same host, in which files are numbered anew.
    void beginStream();
    // Returns the line for the standard input of `lockstep-agent live --have`.
    std::string haveLine() const;
    // Handles a frame. Returns corrupt if the stream does not come from a lockstep-agent. The caller must
    // then end the stream.
    Status take(const LiveFrame& frame);

    const std::vector<LiveSpool>& spools() const { return m_spools; }
    const std::optional<LiveClock>& clock() const { return m_clock; }
    // Returns messages about problems, each only once.
    const std::vector<std::string>& notes() const { return m_notes; }
    // Returns true if the run has ended and all data has arrived.
    bool hasEnded() const { return m_hasEnded; }

  private:
    Status handleFile(const LiveFrame& frame);
    Status takeBlock(const LiveFrame& frame);
    void takeSkipped(const Json& head);
    void takeLag(const Json& head);
    bool append(LiveSpool& spool, std::string_view bytes, int more);
    LiveSpool* spoolOf(const Json& head);
    void note(std::string text);

    std::filesystem::path m_folder;
    uint64_t m_most_bytes;
    uint64_t m_stored_bytes = 0;
    std::vector<LiveSpool> m_spools;
    std::map<uint64_t, size_t> m_byNumber; // keyed by the file's number in the stream
    std::optional<LiveClock> m_clock;
    std::vector<std::string> m_notes;
    bool m_hasEnded = false;
};

// Returns a safe local file name. Letters, digits and _.=+- of the host's file name are kept, and other
// characters are replaced by '-'. The result has at most 128 characters and ends in ".lsc".
std::string safeSpoolName(std::string_view name);

} // namespace lockstep
