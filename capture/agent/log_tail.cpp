// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/log_tail.h"

#include <fcntl.h>
#include <unistd.h>

namespace lockstep::agent {

LogTail::LogTail(std::filesystem::path file, uint64_t to, bool isOpen)
    : m_file(std::move(file)), m_to(to), m_isOpen(isOpen)
{
}

LogTail::LogTail(LogTail&& other) noexcept
    : m_file(std::move(other.m_file)), m_fd(std::exchange(other.m_fd, -1)), m_to(other.m_to),
      m_isOpen(other.m_isOpen)
{
}

LogTail::~LogTail()
{
    if (m_fd >= 0) ::close(m_fd);
}

std::optional<LogChunk> LogTail::next(bool isFinal)
{
    if (m_fd < 0) m_fd = ::open(m_file.c_str(), O_RDONLY | O_CLOEXEC);
    if (m_fd < 0) return std::nullopt;
    LogChunk chunk;
    const uint64_t begin = m_to;
    std::string buffer(kChunk_bytes, '\0');
    while (chunk.text.empty()) {
        const ssize_t got = ::pread(m_fd, buffer.data(), buffer.size(), static_cast<off_t>(m_to));
        if (got <= 0) break;
        const std::string_view bytes(buffer.data(), static_cast<size_t>(got));
        const size_t taken = take(bytes, isFinal && bytes.size() < buffer.size(), chunk);
        m_to += taken;
        if (taken == 0) break;
    }
    if (m_to == begin) return std::nullopt;
    chunk.to = m_to;
    chunk.isOpen = m_isOpen;
    return chunk;
}

// Returns the number of bytes consumed: all bytes except those of a last line that may continue.
size_t LogTail::take(std::string_view bytes, bool isLast, LogChunk& chunk)
{
    size_t begin = 0;
    while (begin < bytes.size()) {
        size_t end = bytes.find_first_of("\n\r", begin);
        const bool isEnded = end != std::string_view::npos;
        if (!isEnded) end = bytes.size();
        const size_t room = m_isOpen ? 0 : kLine_bytes;
        if (!isEnded && !m_isOpen && end - begin <= room && !isLast) break;
        const size_t shown = std::min(end - begin, room);
        chunk.text += bytes.substr(begin, shown);
        chunk.cut_bytes += end - begin - shown;
        m_isOpen = !isEnded && (m_isOpen || end - begin > room);
        begin = end;
        if (!isEnded) continue;
        if (bytes.substr(end).starts_with("\r\n")) chunk.text += bytes[begin++];
        chunk.text += bytes[begin++];
        chunk.lineEnds.emplace_back(chunk.text.size(), m_to + begin);
    }
    return begin;
}

} // namespace lockstep::agent
