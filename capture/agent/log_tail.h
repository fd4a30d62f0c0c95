// SPDX-License-Identifier: Apache-2.0
// LogTail: what was newly written to a command's log file, in pieces of whole lines. A line ends at \n, or at
// the \r that progress bars print. Of an over-long line only the beginning is given. One thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep::agent {

struct LogPiece {
    std::string text;       // lines with their ends
    uint64_t to = 0;        // bytes of the file accounted for after this piece
    uint64_t cut_bytes = 0; // of them, those of over-long lines that are not in text
    bool isOpen = false;    // an over-long line goes on behind the piece
    std::vector<std::pair<size_t, uint64_t>> lineEnds; // places behind each line: in text, in the file
};

class LogTail {
  public:
    static constexpr size_t kPiece_bytes = 64 * 1024;
    static constexpr size_t kLine_bytes = 8 * 1024; // a longer line is over-long

    // Goes on behind a piece with this `to` and `isOpen`.
    LogTail(std::filesystem::path file, uint64_t to, bool isOpen);
    LogTail(LogTail&& other) noexcept;
    LogTail& operator=(LogTail&&) = delete;
    ~LogTail();

    // The next piece, made from at most kPiece_bytes of the file (more where it is one line). A line that is
    // not ended is held back until it is, becomes over-long, or isFinal. Empty when nothing is new.
    std::optional<LogPiece> next(bool isFinal);

  private:
    size_t take(std::string_view bytes, bool isLast, LogPiece& piece);

    std::filesystem::path m_file;
    int m_fd = -1;
    uint64_t m_to = 0;
    bool m_isOpen = false;
};

} // namespace lockstep::agent
