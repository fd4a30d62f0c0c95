#include "capture/agent/event_log.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <ctime>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace lockstep::agent {

namespace {

constexpr size_t kMostPending = 50'000; // events kept in memory while the disk is full; the oldest output goes first

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
    if (line.starts_with(kStart)) {
        std::from_chars(line.data() + kStart.size(), line.data() + line.size(), seq);
    }
    return seq;
}

Result<EventLog> EventLog::open(const std::filesystem::path& path)
{
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (fd < 0) return makeError(ErrorKind::io, path.string() + ": cannot open: " + std::strerror(errno));
    EventLog log(fd);
    std::ifstream file(path);
    std::string line;
    bool isWhole = true;
    while (std::getline(file, line)) {
        isWhole = !file.eof();
        if (const uint64_t seq = seqOfLine(line); seq > 0) log.m_seq = seq;
    }
    if (!isWhole && ::write(fd, "\n", 1) != 1) {
        return makeError(ErrorKind::io, path.string() + ": cannot write: " + std::strerror(errno));
    }
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

void EventLog::add(const char* kind, nlohmann::json fields)
{
    // seq, t_ns and kind stand first so that a reader can skip lines without parsing them.
    std::string line = "{\"seq\":" + std::to_string(++m_seq) + ",\"t_ns\":" + std::to_string(wallClock_ns()) +
                       ",\"kind\":\"" + kind + "\"";
    const std::string rest = fields.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    line += rest.size() > 2 ? "," + rest.substr(1) : "}";
    m_pending.push_back(line + "\n");
    if (m_pending.size() > kMostPending && m_pendingOffset == 0) m_pending.pop_front();
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

std::string EventReader::next(uint64_t from)
{
    if (!m_file.is_open()) m_file.open(m_path);
    std::string piece;
    while (true) {
        m_file.clear();
        if (!std::getline(m_file, piece)) return {};
        m_partial += piece;
        if (m_file.eof()) return {}; // the writer is in the middle of this line
        const std::string line = std::exchange(m_partial, {});
        if (const uint64_t seq = seqOfLine(line); seq > 0 && seq >= from) return line;
    }
}

} // namespace lockstep::agent
