// SPDX-License-Identifier: Apache-2.0
#include "capture/inject/descriptors.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "capture/inject/call_state.h"

namespace lockstep::capture {

namespace {

constexpr int kLowest = 512;
constexpr int kStandardCount = 3; // standard input, output and error

int lowestWanted() noexcept
{
    rlimit limit = {};
    constexpr rlim_t kEnough = kLowest + 16;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= kEnough) return kLowest;
    return static_cast<int>(limit.rlim_cur / 2);
}

void closeQuietly(int descriptor) noexcept
{
    const ErrnoGuard errnoGuard;
    close(descriptor);
}

// Returns a duplicate of the descriptor with a high number, or the same descriptor if no high number is
// available.
int highDuplicate(int descriptor) noexcept
{
    for (int lowest = lowestWanted(); lowest >= kStandardCount && lowest > descriptor; lowest /= 2) {
        const int high = fcntl(descriptor, F_DUPFD_CLOEXEC, lowest);
        if (high >= 0) return high;
    }
    if (descriptor >= kStandardCount) return descriptor;
    errno = EMFILE;
    return -1;
}

std::optional<FileIdentity> identityOf(const struct stat& status) noexcept
{
    return FileIdentity{status.st_dev, status.st_ino, S_ISREG(status.st_mode),
                        static_cast<uint64_t>(status.st_size), static_cast<uint64_t>(status.st_nlink)};
}

// fstat() and stat() are symbols of glibc 2.33; the system call fills the same struct.
std::optional<FileIdentity> pathIdentity(const char* path, bool followsLinks) noexcept
{
    const ErrnoGuard errnoGuard;
    struct stat status = {};
    const int flags = followsLinks ? 0 : AT_SYMLINK_NOFOLLOW;
    if (syscall(SYS_newfstatat, AT_FDCWD, path, &status, flags) != 0) return {};
    return identityOf(status);
}

// Occupies closed descriptors among 0, 1 and 2, so that a file opened for writing never gets such a number,
// not even briefly. Otherwise output that the program writes to a closed standard error would end up in that
// file. Writing to an O_PATH descriptor fails in the same way as writing to a closed descriptor.
class StandardDescriptorGuard {
  public:
    StandardDescriptorGuard() noexcept
    {
        for (int number = 0; number < kStandardCount; ++number) {
            if (fcntl(number, F_GETFD) >= 0) continue;
            const int descriptor = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
            if (descriptor >= 0 && descriptor < kStandardCount) {
                m_isFilled[static_cast<size_t>(descriptor)] = true;
                m_root = fileIdentity(descriptor).value_or(m_root);
            } else if (descriptor >= 0) {
                closeQuietly(descriptor);
            }
        }
    }
    ~StandardDescriptorGuard()
    {
        for (int number = 0; number < kStandardCount; ++number) {
            if (m_isFilled[static_cast<size_t>(number)]) closeOwn(number, m_root);
        }
    }
    StandardDescriptorGuard(const StandardDescriptorGuard&) = delete;
    StandardDescriptorGuard& operator=(const StandardDescriptorGuard&) = delete;

  private:
    std::array<bool, kStandardCount> m_isFilled = {};
    FileIdentity m_root;
};

} // namespace

std::optional<FileIdentity> fileIdentity(int descriptor) noexcept
{
    const ErrnoGuard errnoGuard;
    struct stat status = {};
    if (descriptor < 0 || syscall(SYS_fstat, descriptor, &status) != 0) return {};
    return identityOf(status);
}

// The Linux kernel first assigns the lowest number. Until the file has its high number, another thread of the
// program may close the low number and open another file under it. In that case the duplicate does not refer
// to the file with this path.
int openHigh(const char* path, int flags, mode_t mode) noexcept
{
    constexpr int kTries = 5;
    const StandardDescriptorGuard held;
    for (int i = 0; i < kTries; ++i) {
        const int low = open(path, flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, mode);
        if (low < 0 && errno == EINTR) continue;
        if (low < 0) return -1;
        flags &= ~(O_CREAT | O_EXCL); // the file exists now
        const int high = highDuplicate(low);
        const auto opened = fileIdentity(high), expected = pathIdentity(path, (flags & O_NOFOLLOW) == 0);
        if (opened && expected && opened->isSameFile(*expected)) {
            if (high != low) closeOwn(low, *expected);
            return high;
        }
        if (high >= 0 && high != low) closeQuietly(high);
        if (expected) closeOwn(low, *expected);
        errno = EMFILE;
    }
    return -1;
}

void closeOwn(int descriptor, const FileIdentity& identity) noexcept
{
    const auto now = fileIdentity(descriptor);
    if (now && now->isSameFile(identity)) closeQuietly(descriptor);
}

std::string readFile(const char* path, size_t limit_bytes)
{
    struct Closed {
        int descriptor;
        std::optional<FileIdentity> identity;
        ~Closed()
        {
            if (identity) closeOwn(descriptor, *identity);
        }
    };
    std::string text;
    const int file = openHigh(path, O_RDONLY);
    const auto identity = fileIdentity(file);
    const Closed atReturn{file, identity};
    std::array<char, 4096> buffer;
    while (identity && identity->isRegular && text.size() < limit_bytes) {
        const ssize_t got = read(file, buffer.data(), std::min(buffer.size(), limit_bytes - text.size()));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        text.append(buffer.data(), static_cast<size_t>(got));
    }
    return text;
}

} // namespace lockstep::capture
