// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/event_log.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <ctime>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "core/base/json_fields.h"

namespace lockstep::agent {

namespace {

constexpr size_t kRead_bytes = 256 * 1024;

} // namespace

int64_t wallClock_ns()
{
    timespec now = {};
    clock_gettime(CLOCK_REALTIME, &now);
    return int64_t(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

uint64_t seqOfLine(std::string_view line)
{
    constexpr std::string_view kStart = "{\"seq\":";
    uint64_t seq = 0;
    if (line.starts_with(kStart))
        std::from_chars(line.data() + kStart.size(), line.data() + line.size(), seq);
    return seq;
}

bool isRunEnd(std::string_view line)
{
    // Only the exit event of the run has the field "run", and its fields are short.
    return line.size() < 300 && line.find(",\"kind\":\"exit\"") != std::string_view::npos &&
           line.find(",\"run\":true") != std::string_view::npos;
}

Result<EventLog> EventLog::open(const std::filesystem::path& path)
{
    const auto failure = [&](const char* what) {
        return makeError(ErrorKind::io, path.string() + ": cannot " + what + ": " + std::strerror(errno));
    };
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fd < 0) return failure("open");
    EventLog log(fd);
    EventReader reader(path);
    for (std::string_view line = reader.next(); !line.empty(); line = reader.next()) {
        if (const uint64_t seq = seqOfLine(line); seq > 0) log.m_seq = seq;
    }
    if (::ftruncate(fd, static_cast<off_t>(reader.offset())) != 0) return failure("cut");
    return log;
}

EventLog::EventLog(EventLog&& other) noexcept
    : m_fd(std::exchange(other.m_fd, -1)), m_seq(other.m_seq), m_pending(std::move(other.m_pending)),
      m_pendingOffset(other.m_pendingOffset)
{
}

EventLog::~EventLog()
{
    if (m_fd >= 0) ::close(m_fd);
}

void EventLog::add(const char* kind, Json fields)
{
    // seq, t_ns and kind come first so that a reader can skip lines without parsing them.
    std::string line = "{\"seq\":" + std::to_string(++m_seq) + ",\"t_ns\":" + std::to_string(wallClock_ns()) +
                       ",\"kind\":\"" + kind + "\"";
    const std::string rest = jsonLine(fields);
    line += rest.size() > 2 ? "," + rest.substr(1) : "}";
    m_pending.push_back(line + "\n");
    flush();
}

bool EventLog::flush()
{
    while (!m_pending.empty()) {
        const std::string& line = m_pending.front();
        const ssize_t written = ::write(m_fd, line.data() + m_pendingOffset, line.size() - m_pendingOffset);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        m_pendingOffset += static_cast<size_t>(written);
        if (m_pendingOffset < line.size()) continue;
        m_pending.pop_front();
        m_pendingOffset = 0;
    }
    return true;
}

EventReader::~EventReader()
{
    if (m_fd >= 0) ::close(m_fd);
}

std::string_view EventReader::next()
{
    while (true) {
        const size_t end = m_text.find('\n', m_done);
        if (end != std::string::npos) {
            const std::string_view line = std::string_view(m_text).substr(m_done, end - m_done);
            m_done = end + 1;
            if (!line.empty()) return line;
            continue;
        }
        if (!readMore()) return {};
    }
}

// An unfinished line is read again from its beginning each time, because the end of the file may have been
// removed in the meantime.
bool EventReader::readMore()
{
    if (m_fd < 0) m_fd = ::open(m_path.c_str(), O_RDONLY | O_CLOEXEC);
    if (m_fd < 0) return false;
    m_offset += std::exchange(m_done, 0);
    const uint64_t begin = m_offset;
    m_text.clear();
    while (m_text.find('\n') == std::string::npos) {
        const size_t had = m_text.size();
        m_text.resize(had + kRead_bytes);
        const ssize_t got = ::pread(m_fd, m_text.data() + had, kRead_bytes, static_cast<off_t>(begin + had));
        m_text.resize(had + static_cast<size_t>(got > 0 ? got : 0));
        if (got <= 0) break;
    }
    return m_text.find('\n') != std::string::npos;
}

} // namespace lockstep::agent
