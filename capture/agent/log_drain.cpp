// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/log_drain.h"

#include <array>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "core/session/secrets.h"

namespace lockstep::agent {

namespace {

constexpr size_t kLongestLine_bytes = 64 * 1024; // a longer line is masked and written in chunks
constexpr size_t kPipe_bytes = 1024 * 1024;      // largest pipe size that is available without privileges

constexpr size_t kSpaceCheck_bytes = kLowDisk_bytes / 4;

} // namespace

LogDrain::LogDrain(int pipe, const std::filesystem::path& log, TextPairs hidden)
    : m_pipe(pipe), m_log(::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)),
      m_hidden(std::move(hidden))
{
    ::fcntl(m_pipe, F_SETFL, O_NONBLOCK);
    ::fcntl(m_pipe, F_SETPIPE_SZ,
            kPipe_bytes); // A larger pipe stalls a program with much output less often. It is harmless if the
                          // request is refused.
}

LogDrain::~LogDrain()
{
    flush();
    if (m_pipe >= 0) ::close(m_pipe);
    if (m_log >= 0) ::close(m_log);
}

void LogDrain::pump()
{
    std::array<char, 65536> buffer;
    for (size_t moved = 0; m_pipe >= 0 && moved < kPipe_bytes;) {
        const ssize_t got = ::read(m_pipe, buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && errno == EAGAIN) return;
        if (got <= 0) {
            ::close(m_pipe);
            m_pipe = -1;
            flush();
            return;
        }
        take(std::string_view(buffer.data(), static_cast<size_t>(got)));
        moved += static_cast<size_t>(got);
    }
}

// Returns true if output may be written. The last bytes of a disk are reserved for the event log, so output
// stops before they are used. The free space is queried only occasionally, because on a network disk each
// query is a request.
bool LogDrain::hasRoom()
{
    const auto now = std::chrono::steady_clock::now();
    if (now < m_nextCheck && m_sinceCheck < kSpaceCheck_bytes) return !m_isFull;
    m_nextCheck = now + std::chrono::seconds(1);
    m_sinceCheck = 0;
    struct statvfs disk = {};
    const bool isKnown = ::fstatvfs(m_log, &disk) == 0;
    m_isFull = isKnown ? uint64_t(disk.f_bavail) * disk.f_frsize < kLowDisk_bytes : m_isFull;
    return !m_isFull;
}

void LogDrain::take(std::string_view bytes)
{
    const size_t end = bytes.find_last_of("\n\r");
    if (end == bytes.npos && m_line.size() + bytes.size() <= kLongestLine_bytes) {
        m_line += bytes;
        return;
    }
    const size_t whole = end == bytes.npos ? bytes.size() : end + 1;
    m_line += bytes.substr(0, whole);
    flush();
    m_line = bytes.substr(whole);
}

void LogDrain::flush()
{
    if (m_line.empty()) return;
    store(withoutSecrets(std::exchange(m_line, {}), m_hidden));
}

void LogDrain::store(const std::string& text)
{
    size_t done = 0;
    while (done < text.size() && hasRoom()) {
        const ssize_t written = ::write(m_log, text.data() + done, text.size() - done);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) {
            m_isFull = true;
            break;
        }
        done += static_cast<size_t>(written);
        m_sinceCheck += static_cast<size_t>(written);
    }
    m_dropped += text.size() - done;
}

} // namespace lockstep::agent
