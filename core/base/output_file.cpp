// SPDX-License-Identifier: Apache-2.0
#include "core/base/output_file.h"

#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lockstep {

namespace {

namespace fs = std::filesystem;

constexpr size_t kBufferBytes = 256 * 1024;
constexpr int kAttempts = 100;
// A hidden file is locked immediately after its creation. A file younger than this may not be locked yet.
constexpr time_t kSettled_s = 60;

tl::unexpected<Error> ioError(const fs::path& path, int code)
{
    return makeError(ErrorKind::io, path.string() + ": cannot write: " + std::strerror(code),
                     HelpTopic::writeError);
}

fs::path folderOf(const fs::path& path)
{
    return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

std::string processName(int file)
{
    return "/proc/self/fd/" + std::to_string(file);
}

void syncFolder(const fs::path& folder)
{
    const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0) return;
    ::fsync(file); // some file systems cannot sync folders; the rename has taken effect anyway
    ::close(file);
}

} // namespace

Result<OutputFile> OutputFile::create(const fs::path& path, unsigned mode)
{
    OutputFile file;
    std::error_code ignored;
    file.m_path = fs::is_symlink(path, ignored) ? fs::weakly_canonical(path, ignored) : path;
    struct stat old = {};
    const bool isThere = ::stat(file.m_path.c_str(), &old) == 0;
    if (isThere && !S_ISREG(old.st_mode)) // renaming a file over a device would remove the device
        return makeError(ErrorKind::io, path.string() + ": cannot write: not a regular file",
                         HelpTopic::writeError);
    file.removeLeftovers();
    if (!file.openUnnamed(mode) && !file.openHidden(mode)) return ioError(path, errno);
    if (isThere && ::fchmod(file.m_file, old.st_mode & 0777) != 0) return ioError(path, errno);
    return file;
}

bool OutputFile::openUnnamed(unsigned mode)
{
    m_file = ::open(folderOf(m_path).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
    if (m_file < 0) return false;
    // If /proc is not usable, the file could never be given its name.
    struct stat byName = {}, byNumber = {};
    if (::fstat(m_file, &byNumber) == 0 && ::stat(openName().c_str(), &byName) == 0 &&
        byName.st_ino == byNumber.st_ino && byName.st_dev == byNumber.st_dev)
        return true;
    ::close(std::exchange(m_file, -1));
    return false;
}

bool OutputFile::openHidden(unsigned mode)
{
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        m_hidden = hiddenName(attempt);
        m_file = ::open(m_hidden.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (m_file >= 0)
            return ::flock(m_file, LOCK_EX | LOCK_NB) == 0 || errno == ENOTSUP || errno == ENOLCK;
        if (errno != EEXIST) break;
    }
    m_hidden.clear();
    return false;
}

// Removes files with this name that killed programs left behind. The writer of a file locks it, so files that
// are being written are kept.
void OutputFile::removeLeftovers() const
{
    const std::string begin = "." + m_path.filename().string() + ".";
    std::error_code error;
    for (fs::directory_iterator entry(folderOf(m_path), error), end; !error && entry != end;
         entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        if (name.size() <= begin.size() + 5 || !name.starts_with(begin) || !name.ends_with(".part")) continue;
        const std::string_view middle =
            std::string_view(name)
                .substr(begin.size())
                .substr(0, name.size() - begin.size() - std::string_view(".part").size());
        if (middle.find_first_not_of("0123456789-") != std::string_view::npos) continue;
        const int file = ::open(entry->path().c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
        if (file < 0) continue;
        struct stat found = {};
        if (::fstat(file, &found) == 0 && S_ISREG(found.st_mode) && found.st_uid == ::geteuid() &&
            found.st_mtime + kSettled_s < ::time(nullptr) && ::flock(file, LOCK_EX | LOCK_NB) == 0)
            ::unlink(entry->path().c_str());
        ::close(file);
    }
}

fs::path OutputFile::hiddenName(int attempt) const
{
    return folderOf(m_path) / ("." + m_path.filename().string() + "." + std::to_string(::getpid()) + "-" +
                               std::to_string(attempt) + ".part");
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : m_path(std::move(other.m_path)), m_hidden(std::exchange(other.m_hidden, {})),
      m_file(std::exchange(other.m_file, -1)), m_buffer(std::move(other.m_buffer)), m_failure(other.m_failure)
{
}

OutputFile::~OutputFile()
{
    if (!m_hidden.empty()) ::unlink(m_hidden.c_str());
    if (m_file >= 0) ::close(m_file);
}

std::string OutputFile::openName() const
{
    return m_hidden.empty() ? processName(m_file) : m_hidden.string();
}

void OutputFile::write(std::string_view bytes)
{
    if (bytes.size() >= kBufferBytes) {
        flush();
        return writeUnbuffered(bytes); // writes directly, without copying to the buffer
    }
    m_buffer += bytes;
    if (m_buffer.size() >= kBufferBytes) flush();
}

void OutputFile::flush()
{
    writeUnbuffered(m_buffer);
    m_buffer.clear();
}

void OutputFile::writeUnbuffered(std::string_view left)
{
    while (!left.empty() && m_failure == 0) {
        const ssize_t written = ::write(m_file, left.data(), left.size());
        if (written >= 0) {
            left.remove_prefix(static_cast<size_t>(written));
        } else if (errno != EINTR) {
            m_failure = errno;
        }
    }
}

// A file without a name can only be given an unused name. Replacing a file therefore requires a temporary
// second name.
bool OutputFile::moveToPath()
{
    const auto link = [this](const fs::path& to) {
        return ::linkat(AT_FDCWD, processName(m_file).c_str(), AT_FDCWD, to.c_str(), AT_SYMLINK_FOLLOW) == 0;
    };
    if (m_hidden.empty()) {
        if (link(m_path)) return true;
        for (int attempt = 0; attempt < kAttempts && errno == EEXIST && m_hidden.empty(); ++attempt) {
            if (link(hiddenName(attempt))) m_hidden = hiddenName(attempt);
        }
        if (m_hidden.empty()) return false;
    }
    if (::rename(m_hidden.c_str(), m_path.c_str()) != 0) return false;
    m_hidden.clear();
    return true;
}

Status OutputFile::commit()
{
    flush();
    if (m_failure == 0 && ::fsync(m_file) != 0 && errno != EINVAL) m_failure = errno;
    if (m_failure == 0 && !moveToPath()) m_failure = errno;
    if (m_failure != 0) return ioError(m_path, m_failure);
    ::close(std::exchange(m_file, -1));
    syncFolder(folderOf(m_path));
    return {};
}

} // namespace lockstep
