// SPDX-License-Identifier: Apache-2.0
// LiveSender: what `lockstep-agent live` says, frame by frame: the spools below a run's report folders while
// they grow, block by block, the oldest first, and no faster than the rate allows. It holds no blocks, only
// where they stand: when more wait than kHorizon of the rate, or they are older than kept_ns, the oldest are
// passed over, counted and told. Whoever asks for frames slowly, or not at all, makes nothing grow. One
// thread; it opens files and asks clocks, and waits for nothing.
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

#include "capture/agent/spool_tail.h"
#include "core/base/json_fields.h"

namespace lockstep::agent {

struct LiveOptions {
    int64_t kept_ns = 30'000'000'000;     // --last
    double rate_bytesPerS = 4'000'000;    // --rate
    int64_t notBefore_ns = INT64_MIN;     // Unix epoch: files left alone since are of another run
    std::map<std::string, uint64_t> have; // by SpoolTail::id(): the number of the first block that is wanted
};

class LiveSender {
  public:
    using Clock = std::chrono::steady_clock;
    static constexpr double kHorizon_s = 2;
    static constexpr size_t kMostFiles = 4096;
    static constexpr auto kLagEvery = std::chrono::milliseconds(250);

    explicit LiveSender(LiveOptions options);

    // Looks for spools below these folders that are not followed yet.
    void findSpools(const std::vector<std::filesystem::path>& folders);
    // Looks what the known ones hold now.
    void look();
    // The next frame's bytes, if one may go now; "" when there is nothing to say or the rate does not allow
    // it yet.
    std::string next(Clock::time_point now);
    // Nothing that was found waits to be told.
    bool isAllTold() const;

  private:
    struct Skipped {
        uint64_t from = 0, to = 0; // sequence numbers, the last exclusive
        uint64_t blocks = 0, records = 0;
        int64_t first_ns = 0, last_ns = 0;
        std::string why; // each reason once
    };
    struct File {
        File(std::filesystem::path path, uint64_t ofInode) : tail(std::move(path)), inode(ofInode) {}

        SpoolTail tail;
        uint64_t inode = 0;
        uint64_t number = 0;
        bool isTold = false; // its header went out
        bool isOver = false; // nothing more will be found
        bool isDoneTold = false;
        uint64_t wanted = 0; // the first block's number
        Skipped skipped;     // not told yet; before all that is pending
        std::vector<Json> notes;
    };

    void note(File& file, const char* word, const std::string& text);
    void skip(File& file, size_t position, const char* why);
    void skipOld(File& file);
    void skipAboveRate();
    void noteState(File& file);
    std::string tellSkipped(File& file);
    std::string tellFile(File& file);
    std::string tellBlock(File& file, Clock::time_point now);
    std::string tellLag();
    File* nextWithBlock();

    LiveOptions m_options;
    std::vector<std::unique_ptr<File>> m_files;                   // in the order in which they were found
    std::set<std::pair<std::filesystem::path, uint64_t>> m_known; // by name and inode
    bool m_hasGreeted = false, m_isCrowded = false, m_hasToldCrowded = false;
    double m_credit_bytes = 0; // what may be sent now; a block may take it below 0
    Clock::time_point m_lastCredit, m_lastLag;
    size_t m_lagFrom = 0; // a lag frame speaks of so many files at most
};

} // namespace lockstep::agent
