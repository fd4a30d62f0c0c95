// SPDX-License-Identifier: Apache-2.0
// LiveSender produces the frames of `lockstep-agent live`: the blocks of the capture files in the report
// folders of a run while the files grow, and the lines of files with sample records (LiveRecords). It sends
// the oldest blocks first, and no faster than the rate allows. It stores the positions of blocks, not the
// blocks themselves. If more blocks are pending than the rate can send in kHorizon_s, or if blocks are older
// than kept_ns, the oldest are skipped, counted and reported. A reader that requests frames slowly, or never,
// does not increase memory use. One thread; it opens files and reads clocks, but never blocks.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "capture/agent/live_records.h"
#include "capture/agent/spool_tail.h"
#include "core/base/json_fields.h"

namespace lockstep::agent {

struct LiveOptions {
    int64_t retention_ns = 30'000'000'000; // option --last
    double rate_bytesPerS = 4'000'000;     // option --rate
    int64_t notBefore_ns = INT64_MIN; // Unix epoch; files unchanged since this time belong to another run
    // Number of the first requested block, keyed by SpoolTail::id(); for records, the position of the first
    // requested line, keyed by their id.
    std::map<std::string, uint64_t> have;
};

class LiveSender {
  public:
    using Clock = std::chrono::steady_clock;
    static constexpr double kHorizon_s = 2;
    static constexpr size_t kMaxFiles = 4096;
    static constexpr auto kLagEvery = std::chrono::milliseconds(250);
    // On a shared disk, the host of the process that writes a capture announces it first. Other hosts send it
    // only if that host does not.
    static constexpr auto kElsewhereDelay = std::chrono::seconds(5);

    explicit LiveSender(LiveOptions options);

    // Finds capture files and records in these folders that are not followed yet.
    void findFiles(const std::vector<std::filesystem::path>& folders);
    // Reads what was appended to the known files.
    void poll();
    // Sends nothing more of the file with this number, because another host sends it.
    void drop(uint64_t number);
    // Returns the bytes of the next frame if it may be sent now, or "" if there is nothing to send or the
    // rate does not allow it yet.
    std::string next(Clock::time_point now);
    // Returns true if everything found has been sent.
    bool isAllSent() const;

  private:
    struct Skipped {
        uint64_t from = 0, to = 0; // sequence numbers; `to` is exclusive
        uint64_t blocks = 0, records = 0;
        int64_t first_ns = 0, last_ns = 0;
        std::string why; // the reasons, each listed once
    };
    struct File {
        File(std::filesystem::path path, uint64_t ofInode) : tail(std::move(path)), inode(ofInode) {}

        SpoolTail tail;
        uint64_t inode = 0;
        uint64_t number = 0;
        Clock::time_point found;
        std::optional<bool> isElsewhere; // another machine writes it; unknown until its first block is read
        bool isAnnounced = false;        // the file's header was sent
        bool isOver = false;             // nothing more will be found
        bool isDoneSent = false;
        uint64_t firstRequested = 0; // number of the first requested block
        Skipped skipped; // skipped blocks that were not reported yet; they precede all pending blocks
        std::vector<Json> notes;
    };

    // Returns true for the capture of another machine as long as that machine may still announce it.
    static bool isLeftToOthers(const File& file)
    {
        return !file.isAnnounced && file.isElsewhere.value_or(false);
    }
    void addSpool(const std::filesystem::path& path);
    void note(File& file, const char* word, const std::string& text);
    void findWriter(File& file);
    static bool canAnnounce(const File& file, Clock::time_point now);
    void skip(File& file, size_t position, const char* why);
    void skipOld(File& file);
    void skipAboveRate();
    void noteState(File& file);
    std::string reportSkipped(File& file);
    std::string encodeFile(File& file);
    std::string encodeBlock(File& file);
    std::string encodeLag();
    File* nextWithBlock();

    LiveOptions m_options;
    std::vector<std::unique_ptr<File>> m_files; // in order of discovery
    LiveRecords m_records;
    bool m_wereLinesSent = false; // the last frame with data contained lines, so a block is next
    uint64_t m_lastNumber = 0;    // of all files
    std::set<std::pair<std::filesystem::path, uint64_t>> m_known; // keyed by name and inode
    bool m_hasSentHello = false, m_isFileLimitReached = false, m_hasReportedFileLimit = false;
    double m_credit_bytes = 0; // bytes that may be sent now; a block may make it negative
    Clock::time_point m_lastCredit, m_lastLag;
    // Index of the first file of the next lag frame, which covers a limited number of files.
    size_t m_lagFrom = 0;
};

} // namespace lockstep::agent
