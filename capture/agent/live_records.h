// SPDX-License-Identifier: Apache-2.0
// LiveRecords produces the frames of the live stream for files with samples, requests, phases and other
// records of which each is one line of JSON (isRecordLine), while the files grow. Only complete lines are
// sent, from the oldest to the newest. If more is waiting than may wait, all but the newest lines are skipped
// and reported; the first lines of a file are always sent, because they describe the rest. Rollout dumps
// (isRolloutDump) are sent as a whole once they are complete. Part of LiveSender, which limits the rate.
// Positions are bytes in the file. One thread; it opens files, but never blocks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/json_fields.h"

namespace lockstep::agent {

struct LiveRecordsOptions {
    int64_t notBefore_ns = INT64_MIN;     // Unix epoch; files unchanged since this time belong to another run
    double maxWaiting_bytes = 8'000'000;  // of all files together
    std::map<std::string, uint64_t> have; // position of the first requested line, keyed by id
};

class LiveRecords {
  public:
    static constexpr size_t kMaxFiles = 1024;
    static constexpr size_t kMaxExamined = 2000;
    static constexpr size_t kHead_bytes = 4096;        // lines up to this position are never skipped
    static constexpr size_t kFrame_bytes = 256 * 1024; // payload of a frame, unless a line is longer
    static constexpr size_t kMaxLine_bytes = 16 << 20; // longer lines are skipped
    static constexpr size_t kMaxDump_bytes = 64 << 20; // larger dumps are not sent

    explicit LiveRecords(LiveRecordsOptions options) : m_options(std::move(options)) {}

    // Returns true for names under which frameworks write records.
    static bool canBeRecords(const std::filesystem::path& path);
    // Follows those of the files that contain records and are not followed yet. Examines kMaxExamined files,
    // the next ones with the next call, because report folders may contain many others. lastNumber: the
    // number that the stream gave last to a file; incremented for each file that is followed.
    void find(const std::vector<std::filesystem::path>& paths, uint64_t& lastNumber);
    // Sends nothing more of the file with this number.
    void drop(uint64_t number);
    // Reads the sizes of the known files, and skips lines.
    void poll();
    // Returns the bytes of the next frame that is not subject to the rate limit, or "".
    std::string nextMessage();
    // Returns the bytes of the next frame with lines, or "". The files take turns.
    std::string nextLines();
    bool isAllSent() const;

  private:
    struct File {
        std::filesystem::path path;
        uint64_t device = 0, inode = 0;
        uint64_t number = 0;
        std::string id;        // equal on all hosts that see the file, and in all streams
        uint64_t head = 0;     // end of the lines that are never skipped
        uint64_t sent = 0;     // position of the next line
        uint64_t complete = 0; // end of the last complete line
        uint64_t size = 0;     // of the file when it was last read
        bool isDump = false;
        bool isAnnounced = false;
        bool isOver = false, isDoneSent = false;
        uint64_t skipped_bytes = 0; // not reported yet
        std::string skippedWhy;
        std::vector<Json> notes;
    };

    void add(const std::filesystem::path& path, uint64_t& lastNumber);
    void readSize(File& file);
    void end(File& file, const char* word, const std::string& text);
    void skip(File& file, uint64_t to, const char* why);
    void skipWaiting();

    LiveRecordsOptions m_options;
    std::vector<File> m_files;
    std::set<std::pair<std::filesystem::path, uint64_t>> m_known; // keyed by name and inode; also other files
    size_t m_nextExamined = 0;                                    // index in the list of find()
    size_t m_turn = 0;                                            // index of the next file to send from
    bool m_isFileLimitReached = false, m_hasReportedFileLimit = false;
    std::vector<std::string> m_largeDumps; // names, not reported yet
};

} // namespace lockstep::agent
