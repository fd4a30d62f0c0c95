// SPDX-License-Identifier: Apache-2.0
#include "core/remote/event_file.h"

#include <cerrno>
#include <cstring>
#include <vector>

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "core/base/private_file.h"
#include "core/base/text.h"
#include "core/remote/line_splitter.h"

namespace lockstep {

namespace {

constexpr size_t kLongestStored_bytes = 8 << 20;
constexpr size_t kReadAtOnce_bytes = 256 << 10;
// Interval at which the disk's free space is queried; on a network disk, each query is a request.
constexpr auto kSpaceCheckInterval = std::chrono::seconds(1);
constexpr uint64_t kSpaceCheck_bytes = 256 << 10;

} // namespace

EventFile::~EventFile()
{
    if (m_fd >= 0) ::close(m_fd);
}

Status EventFile::open(const std::filesystem::path& path,
                       const std::function<void(std::string_view)>& handleLine)
{
    LOCKSTEP_TRY(makePrivateFile(path));
    m_path = path;
    m_fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (m_fd < 0)
        return makeError(ErrorKind::io, path.string() + ": cannot be written: " + std::strerror(errno),
                         HelpTopic::writeError);
    LineSplitter lines(kLongestStored_bytes);
    std::vector<char> buffer(kReadAtOnce_bytes);
    uint64_t read_bytes = 0;
    for (ssize_t got = 0;
         (got = ::pread(m_fd, buffer.data(), buffer.size(), static_cast<off_t>(read_bytes))) > 0;) {
        read_bytes += static_cast<uint64_t>(got);
        lines.add({buffer.data(), static_cast<size_t>(got)});
        while (const auto line = lines.next())
            handleLine(*line);
    }
    m_bytes = read_bytes - lines.rest().size();
    if (::ftruncate(m_fd, static_cast<off_t>(m_bytes)) != 0)
        return makeError(ErrorKind::io, path.string() + ": cannot be truncated: " + std::strerror(errno));
    return {};
}

bool EventFile::append(std::string_view line, uint64_t max_bytes)
{
    if (m_bytes + line.size() + 1 > max_bytes)
        return reject("the local copy has reached its limit of " + byteText(static_cast<int64_t>(max_bytes)));
    if (!hasRoom()) return reject("the local disk has less than " + byteText(kSpare_bytes) + " free");
    std::string bytes(line);
    bytes += '\n';
    for (size_t done = 0; done < bytes.size();) {
        const ssize_t written =
            ::pwrite(m_fd, bytes.data() + done, bytes.size() - done, static_cast<off_t>(m_bytes + done));
        if (written < 0 && errno == EINTR) continue;
        if (written > 0) {
            done += static_cast<size_t>(written);
            continue;
        }
        const std::string why = std::strerror(written < 0 ? errno : ENOSPC);
        [[maybe_unused]] const int cut = ::ftruncate(m_fd, static_cast<off_t>(m_bytes));
        return reject(m_path.string() + ": " + why);
    }
    m_bytes += bytes.size();
    m_sinceCheck_bytes += bytes.size();
    return true;
}

bool EventFile::reject(std::string why)
{
    ++m_notStored;
    m_problem = std::move(why);
    return false;
}

bool EventFile::hasRoom()
{
    const auto now = std::chrono::steady_clock::now();
    if (now < m_nextCheck && m_sinceCheck_bytes < kSpaceCheck_bytes) return m_hasRoom;
    m_nextCheck = now + kSpaceCheckInterval;
    m_sinceCheck_bytes = 0;
    struct statvfs disk = {};
    m_hasRoom = ::fstatvfs(m_fd, &disk) != 0 || uint64_t(disk.f_bavail) * disk.f_frsize >= kSpare_bytes;
    return m_hasRoom;
}

} // namespace lockstep
