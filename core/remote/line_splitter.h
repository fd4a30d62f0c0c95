// SPDX-License-Identifier: Apache-2.0
// LineSplitter turns a byte stream from another machine into lines. It holds the bytes that were added last,
// and at most one unfinished line of the given length. A longer line is skipped up to its end and counted.
// Each byte is searched once. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep {

class LineSplitter {
  public:
    // maxLine_bytes is the maximum length of a line without its line feed.
    explicit LineSplitter(size_t maxLine_bytes) : m_maxLine_bytes(maxLine_bytes) {}

    void add(std::string_view bytes);
    // Returns the next complete line without its line feed. It is valid until the next call to add() or
    // clear().
    std::optional<std::string_view> next();
    // Drops bytes that were not returned yet. The counters are not changed.
    void clear();

    uint64_t skippedLines() const { return m_skippedLines; }
    // Returns the number of bytes in skipped lines, including a line that has not ended yet.
    uint64_t skippedBytes() const { return m_skippedBytes; }
    // Returns the incomplete line at the end of the stream.
    std::string_view rest() const { return std::string_view(m_text).substr(m_begin); }

  private:
    size_t m_maxLine_bytes;
    std::string m_text;
    size_t m_begin = 0;   // offset of the first line that was not returned
    size_t m_scanned = 0; // there is no line feed between m_begin and this offset
    bool m_isSkipping = false;
    uint64_t m_skippedLines = 0, m_skippedBytes = 0;
};

} // namespace lockstep
