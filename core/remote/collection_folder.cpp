// SPDX-License-Identifier: Apache-2.0
#include "core/remote/collection_folder.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/mapped_file.h"
#include "core/base/private_file.h"
#include "core/base/sha256.h"
#include "core/remote/run_record.h"

namespace lockstep {

namespace fs = std::filesystem;

namespace {

constexpr size_t kLongestName = NAME_MAX;

class Descriptor {
  public:
    explicit Descriptor(int fd) : m_fd(fd) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor()
    {
        if (m_fd >= 0) ::close(m_fd);
    }
    int get() const { return m_fd; }
    void reset(int fd)
    {
        if (m_fd >= 0) ::close(m_fd);
        m_fd = fd;
    }

  private:
    int m_fd;
};

tl::unexpected<Error> rejected(std::string_view why)
{
    return makeError(ErrorKind::invalid, "its path on the host " + std::string(why) +
                                             "; it was not collected. Rename the file on the host");
}

tl::unexpected<Error> failed(const fs::path& path, const char* action)
{
    return makeError(ErrorKind::io, path.string() + ": cannot " + action + ": " + std::strerror(errno));
}

// Returns whether text contains C0 controls, DEL, or C1 controls in UTF-8.
bool hasControls(std::string_view text)
{
    for (size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (byte < 0x20 || byte == 0x7F) return true;
        const bool isC1 = byte == 0xC2 && i + 1 < text.size() &&
                          static_cast<unsigned char>(text[i + 1]) >= 0x80 &&
                          static_cast<unsigned char>(text[i + 1]) < 0xA0;
        if (isC1) return true;
    }
    return false;
}

bool isOfTheKernel(const fs::path& relative)
{
    auto part = relative.begin();
    const fs::path first = *part++;
    if (first == "proc" || first == "sys") return true;
    return first == "dev" && (part == relative.end() || *part != "shm");
}

// Opens a folder in an open folder, and creates it if necessary. Never follows a link.
Result<int> folderBelow(int parent, const fs::path& name, const fs::path& whole)
{
    if (::mkdirat(parent, name.c_str(), 0700) != 0 && errno != EEXIST)
        return failed(whole, "create the folder");
    const int fd = ::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0) return fd;
    if (errno != ELOOP && errno != ENOTDIR) return failed(whole, "open the folder");
    return makeError(ErrorKind::io, whole.string() +
                                        ": is a link or a file, but a folder is needed here; nothing is "
                                        "collected through it. Remove it, or choose another output");
}

// Renames without replacing anything. Uses a hard link if the file system lacks RENAME_NOREPLACE. Returns 0
// or errno.
int renameOntoNothing(const char* from, int folder, const char* name)
{
    if (::renameat2(AT_FDCWD, from, folder, name, RENAME_NOREPLACE) == 0) return 0;
    if (errno != EINVAL && errno != ENOSYS) return errno;
    if (::linkat(AT_FDCWD, from, folder, name, 0) == 0) {
        ::unlink(from);
        return 0;
    }
    if (errno == EEXIST) return EEXIST;
    struct stat status = {};
    if (::fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0) return EEXIST;
    return ::renameat(AT_FDCWD, from, folder, name) == 0 ? 0 : errno;
}

bool isRegular(const fs::path& path)
{
    struct stat status = {};
    return ::lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

bool haveSameBytes(const fs::path& a, const fs::path& b)
{
    if (!isRegular(a) || !isRegular(b)) return false;
    const auto one = MappedFile::open(a), other = MappedFile::open(b);
    return one && other && one->text() == other->text();
}

// Returns the relative local path for a path on a host, without "." components and without duplicate or
// leading slashes. Returns invalid, with the reason, if the path is empty, is that of a folder, or contains
// "..", a control character or a component longer than 255 bytes. Also returns invalid if the path is in a
// folder of devices or of the Linux kernel (/dev except /dev/shm, /proc, /sys).
Result<fs::path> confinedPath(std::string_view hostPath)
{
    if (hasControls(hostPath)) return rejected("contains a control character");
    fs::path relative;
    std::string_view last;
    for (std::string_view rest = hostPath; !rest.empty();) {
        const size_t end = std::min(rest.find('/'), rest.size());
        last = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (last == "..") return rejected("leaves its folder through \"..\"");
        if (last.size() > kLongestName) return rejected("has a component longer than 255 bytes");
        if (!last.empty() && last != ".") relative /= last;
    }
    if (relative.empty()) return rejected("is empty");
    if (last == "." || hostPath.back() == '/') return rejected("names a folder");
    if (hostPath.front() == '/' && isOfTheKernel(relative))
        return rejected("is in a folder of devices or of the kernel");
    return relative;
}

} // namespace

Result<CollectionFolder> CollectionFolder::open(const fs::path& desired, std::string runId)
{
    std::error_code error;
    fs::path folder = fs::absolute(desired, error).lexically_normal();
    if (!folder.has_filename()) folder = folder.parent_path();
    LOCKSTEP_TRY(makePrivateFolders(folder.parent_path()));
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return failed(folder, "create the folder");
    const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return failed(folder, "open the folder");
    return CollectionFolder(std::move(folder), std::move(runId), fd);
}

CollectionFolder::CollectionFolder(fs::path folder, std::string runId, int fd)
    : m_folder(std::move(folder)), m_runId(fileNameOf(runId)), m_partsName(".lockstep-parts-" + m_runId),
      m_fd(fd)
{
}

CollectionFolder::CollectionFolder(CollectionFolder&& other) noexcept
    : m_folder(std::move(other.m_folder)), m_runId(std::move(other.m_runId)),
      m_partsName(std::move(other.m_partsName)), m_fd(std::exchange(other.m_fd, -1))
{
}

CollectionFolder::~CollectionFolder()
{
    if (m_fd >= 0) ::close(m_fd);
}

Result<fs::path> CollectionFolder::placeOf(std::string_view host, std::string_view hostPath,
                                           std::string_view ending) const
{
    fs::path below = fileNameOf(host) / LOCKSTEP_TRY(confinedPath(hostPath));
    below += ending;
    // The fallback place in the folder named after the run ID has the longer path.
    const bool isTooLong = (m_folder / m_runId / below).native().size() >= PATH_MAX ||
                           below.filename().native().size() > kLongestName;
    if (isTooLong) return rejected("is too long for this machine");
    return m_folder / below;
}

Result<fs::path> CollectionFolder::partOf(std::string_view host, std::string_view hostPath,
                                          std::string_view ending) const
{
    const fs::path parts = m_folder / m_partsName;
    const Descriptor folder(LOCKSTEP_TRY(folderBelow(m_fd, m_partsName, parts)));
    std::string whole(host);
    whole.append(1, '\0').append(hostPath).append(1, '\0').append(ending);
    return parts / Sha256::of(whole).substr(0, 32);
}

Result<bool> CollectionFolder::moveTo(const fs::path& part, const fs::path& place, bool mayReplace) const
{
    Descriptor at(::fcntl(m_fd, F_DUPFD_CLOEXEC, 0));
    fs::path whole = m_folder;
    const fs::path below = place.lexically_relative(m_folder);
    for (const fs::path& name : below.parent_path()) {
        whole /= name;
        at.reset(LOCKSTEP_TRY(folderBelow(at.get(), name, whole)));
    }
    const std::string name = below.filename().string();
    if (mayReplace) {
        struct stat status = {};
        if (::fstatat(at.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(status.st_mode))
            return false;
        if (::renameat(AT_FDCWD, part.c_str(), at.get(), name.c_str()) == 0) return true;
        return failed(place, "write");
    }
    const int error = renameOntoNothing(part.c_str(), at.get(), name.c_str());
    if (error == EEXIST) return false;
    if (error == 0) return true;
    errno = error;
    return failed(place, "write");
}

Result<fs::path> CollectionFolder::moveIntoPlace(const fs::path& part, const fs::path& place,
                                                 const fs::path& ownFile) const
{
    const fs::path own = m_folder / m_runId / place.lexically_relative(m_folder);
    for (const fs::path& target : {place, own}) {
        if (target == place && ownFile == own) continue;
        if (LOCKSTEP_TRY(moveTo(part, target, target == ownFile))) return target;
        if (!haveSameBytes(part, target)) continue;
        ::unlink(part.c_str());
        return target;
    }
    return makeError(ErrorKind::io, own.string() +
                                        ": already exists and was not created by this run, so it was kept. "
                                        "Move it away or choose another output, then collect again");
}

void CollectionFolder::removePartsFolder() const
{
    ::unlinkat(m_fd, m_partsName.c_str(), AT_REMOVEDIR);
}

Result<int> openPrivateFile(const fs::path& path)
{
    const int fd =
        ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (fd < 0) return failed(path, "write");
    struct stat status = {};
    if (::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink == 1 &&
        ::fchmod(fd, 0600) == 0)
        return fd;
    ::close(fd);
    return makeError(
        ErrorKind::io,
        path.string() +
            ": is not a regular file with a single name (a link, a device, or a hard link); remove it");
}

} // namespace lockstep
