// LogTail: what was newly written to a command's log file, in pieces for events and in lines for signs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace lockstep::agent {

class LogTail {
  public:
    static constexpr size_t kPiece = 64 * 1024;

    LogTail(std::filesystem::path file, uint64_t offset) : m_file(std::move(file)), m_offset(offset) {}

    // A piece of at most kPiece bytes from the offset on, ending at a line end where there is one; the rest of an
    // unfinished line is held back until it is finished, the piece is full, or isFinal. Empty when nothing is new.
    std::string next(bool isFinal);
    // File position after the last piece.
    uint64_t offset() const { return m_offset; }

  private:
    std::filesystem::path m_file;
    uint64_t m_offset;
};

// Calls onLine for each line that begins in the piece; only the first bytes of a long line matter to its readers.
void forEachLine(const std::string& piece, const std::function<void(std::string_view)>& onLine);

} // namespace lockstep::agent
