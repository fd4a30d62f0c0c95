// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/run_folder.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "core/base/whole_file.h"
#include "core/session/secrets.h"

namespace lockstep::agent {

namespace {

Error ioError(const std::filesystem::path& path, const char* action)
{
    const ErrorKind kind = errno == ENOENT ? ErrorKind::notFound : ErrorKind::io;
    return {kind, path.string() + ": cannot " + action + ": " + std::strerror(errno)};
}

bool writeAll(int fd, std::string_view bytes)
{
    while (!bytes.empty()) {
        const ssize_t written = ::write(fd, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        bytes.remove_prefix(static_cast<size_t>(written));
    }
    return true;
}

mode_t g_mask = 022; // mask of the program that started this one

} // namespace

bool isOnSharedDisk(const std::filesystem::path& folder)
{
    // Values of f_type of statfs(2), from linux/magic.h and the source code of the file systems.
    constexpr std::array<unsigned long, 15> kShared{
        0x6969 /* NFS */,       0xFF534D42 /* CIFS */,   0xFE534D42 /* SMB 2 */,
        0x517B /* SMB */,       0x0BD00BD0 /* Lustre */, 0x47504653 /* GPFS */,
        0x00C36400 /* Ceph */,  0x19830326 /* BeeGFS */, 0x65735546 /* FUSE */,
        0x5346414F /* AFS */,   0x6B414653 /* kAFS */,   0x01021997 /* 9P */,
        0x7461636F /* OCFS2 */, 0x01161970 /* GFS2 */,   0xAAD7AAEA /* PanFS */};
    const char* const home = std::getenv("HOME");
    const char* const setting = std::getenv("LOCKSTEP_AGENT_SHARED_HOME");
    const bool isBelowHome = home != nullptr && (folder.string() + "/").starts_with(std::string(home) + "/");
    if (isBelowHome && setting != nullptr && std::string_view(setting) == "1") return true;
    struct statfs disk = {};
    return ::statfs(folder.c_str(), &disk) == 0 &&
           std::ranges::find(kShared, static_cast<unsigned long>(disk.f_type) & 0xFFFFFFFFUL) !=
               kShared.end();
}

std::string localStateFolder()
{
    for (const char* const parent : {"/var/tmp", "/tmp"}) {
        const std::string folder = std::string(parent) + "/lockstep-" + std::to_string(::getuid());
        ::mkdir(folder.c_str(), 0700);
        struct stat status = {};
        const bool isOurs = ::lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
                            status.st_uid == ::getuid() && (status.st_mode & 077) == 0;
        if (isOurs && !isOnSharedDisk(folder)) return folder;
    }
    return {};
}

std::chrono::milliseconds RunFolder::pollingInterval(std::chrono::milliseconds interval) const
{
    constexpr std::chrono::milliseconds kShared{1000};
    if (!m_isShared) m_isShared = isOnSharedDisk(m_path);
    return *m_isShared ? std::max(kShared, interval) : interval;
}

void keepFilesPrivate()
{
    g_mask = ::umask(077);
}

void restoreFileMask()
{
    ::umask(g_mask);
}

std::optional<ProcessIdentity> ProcessIdentity::of(int pid)
{
    const std::string text = wholeFileOrEmpty("/proc/" + std::to_string(pid) + "/stat");
    const size_t nameEnd = text.rfind(')'); // the name may contain anything, including blanks and parentheses
    if (nameEnd == std::string::npos) return std::nullopt;
    std::istringstream fields(text.substr(nameEnd + 1));
    std::string field;
    for (int number = 3; number < 22 && fields >> field; ++number) {
        if (number == 3 && field == "Z") return std::nullopt; // ended, but not reaped yet
    }
    ProcessIdentity mark{pid, 0};
    return fields >> mark.startTime ? std::optional(mark) : std::nullopt;
}

bool ProcessIdentity::isAlive() const
{
    const auto now = of(pid);
    return now && now->startTime == startTime;
}

std::optional<ProcessIdentity> RunFolder::readPidFile(const std::filesystem::path& file)
{
    std::ifstream in(file);
    ProcessIdentity mark;
    if (!(in >> mark.pid >> mark.startTime) || !mark.isAlive()) return std::nullopt;
    return mark;
}

namespace {
// 15 characters, the maximum length in the Linux kernel.
constexpr const char* kWaitingName = "waits-for-space";
} // namespace

void RunFolder::setWaitsForSpace(bool waits)
{
    ::prctl(PR_SET_NAME, waits ? kWaitingName : "lockstep-agent");
}

bool RunFolder::waitsForSpace() const
{
    const auto mark = supervisor();
    if (!mark) return false;
    std::ifstream name("/proc/" + std::to_string(mark->pid) + "/comm");
    std::string text;
    return std::getline(name, text) && text == kWaitingName;
}

int RunFolder::allowedOrder() const
{
    std::ifstream in(goFile());
    int order = 0;
    return in.is_open() && in >> order ? order : std::numeric_limits<int>::max();
}

void RunFolder::makeReserve() const
{
    constexpr off_t kReserve_bytes = 256 * 1024;
    const int fd = ::open((m_path / "reserve").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) return;
    if (::posix_fallocate(fd, 0, kReserve_bytes) != 0) releaseReserve();
    ::close(fd);
}

void RunFolder::releaseReserve() const
{
    ::unlink((m_path / "reserve").c_str());
}

Status RunFolder::writePidFile(const std::filesystem::path& file, int pid)
{
    const auto mark = ProcessIdentity::of(pid);
    if (!mark)
        return makeError(ErrorKind::notFound, "process " + std::to_string(pid) + " exited immediately");
    return writeTextFile(file, std::to_string(mark->pid) + " " + std::to_string(mark->startTime) + "\n");
}

Result<std::string> readTextFile(const std::filesystem::path& path)
{
    return readWholeFile(path);
}

Status writeTextFile(const std::filesystem::path& path, std::string_view content, unsigned mode)
{
    std::error_code error;
    if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), error);
    std::string temporary = path.string() + ".XXXXXX";
    const int fd = ::mkostemp(temporary.data(), O_CLOEXEC);
    if (fd < 0) return tl::make_unexpected(ioError(path, "create"));
    const bool written = writeAll(fd, content) && ::fchmod(fd, mode) == 0 && ::fsync(fd) == 0;
    if (!written || ::rename(temporary.c_str(), path.c_str()) != 0) {
        const Error failure = ioError(path, "write");
        ::unlink(temporary.c_str());
        ::close(fd);
        return tl::make_unexpected(failure);
    }
    ::close(fd);
    return {};
}

LogRing& agentLog()
{
    static LogRing ring(64 * 1024);
    return ring;
}

Status writeAgentLog(const RunFolder& folder, const Secrets& secrets)
{
    constexpr size_t kLongestAgentLog_bytes = 256 * 1024;
    TextPairs values;
    for (const auto& [name, value] : secrets) {
        if (value) values.emplace_back(name, *value);
    }
    std::string text = readTextFile(folder.agentLogFile()).value_or(std::string());
    text += withoutSecrets(agentLog().text(), values);
    if (text.size() > kLongestAgentLog_bytes)
        text.erase(0, text.find('\n', text.size() - kLongestAgentLog_bytes) + 1);
    return writeTextFile(folder.agentLogFile(), text);
}

} // namespace lockstep::agent
