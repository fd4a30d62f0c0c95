// SPDX-License-Identifier: Apache-2.0
// LogTail returns what was appended to the log file of a command, in chunks of whole lines. A line ends at
// \n, or at the \r that progress bars print. If a line is too long, only its beginning is returned. One
// thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep::agent {

struct LogChunk {
    std::string text;       // lines with their line ends
    uint64_t to = 0;        // bytes of the file accounted for after this piece
    uint64_t cut_bytes = 0; // number of those bytes that are not in text, because their lines are too long
    bool isOpen = false;    // an over-long line continues after the chunk
    // For each line end: its offset in text and its offset in the file.
    std::vector<std::pair<size_t, uint64_t>> lineEnds;
};

class LogTail {
  public:
    static constexpr size_t kChunk_bytes = 64 * 1024;
    static constexpr size_t kLine_bytes = 8 * 1024; // a line that is longer than this is over-long

    // Continues after the chunk that had this `to` and `isOpen`.
    LogTail(std::filesystem::path file, uint64_t to, bool isOpen);
    LogTail(LogTail&& other) noexcept;
    LogTail& operator=(LogTail&&) = delete;
    ~LogTail();

    // Returns the next chunk, or nullopt if nothing is new. A chunk covers at most kChunk_bytes of the
    // file, or more if it is a single line. An unfinished line is held back until it ends, becomes over-long,
    // or isFinal is true.
    std::optional<LogChunk> next(bool isFinal);

  private:
    size_t take(std::string_view bytes, bool isLast, LogChunk& chunk);

    std::filesystem::path m_file;
    int m_fd = -1;
    uint64_t m_to = 0;
    bool m_isOpen = false;
};

} // namespace lockstep::agent
