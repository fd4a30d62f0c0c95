// SPDX-License-Identifier: Apache-2.0
// LineSplitter turns a byte stream from another machine into lines. It holds at most one line of the given
// length and the bytes added last; a longer line is skipped up to its end and counted. Each byte is searched
// once. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep {

class LineSplitter {
  public:
    // longest_bytes: of a line without its line feed.
    explicit LineSplitter(size_t longest_bytes) : m_longest_bytes(longest_bytes) {}

    void add(std::string_view bytes);
    // The next whole line without its line feed; valid until the next call of add() or clear().
    std::optional<std::string_view> next();
    // Drops what was added and not returned; the counts stay.
    void clear();

    uint64_t skippedLines() const { return m_skippedLines; }
    // Bytes of skipped lines, also of one that has not ended yet.
    uint64_t skippedBytes() const { return m_skippedBytes; }
    // The unfinished line at the end of the stream.
    std::string_view rest() const { return std::string_view(m_text).substr(m_begin); }

  private:
    size_t m_longest_bytes;
    std::string m_text;
    size_t m_begin = 0;   // of the first line that was not returned
    size_t m_scanned = 0; // no line feed between m_begin and here
    bool m_isSkipping = false;
    uint64_t m_skippedLines = 0, m_skippedBytes = 0;
};

} // namespace lockstep
