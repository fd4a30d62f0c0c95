// SPDX-License-Identifier: Apache-2.0
#include "app/cli/journal.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "core/base/mapped_file.h"
#include "core/base/output_file.h"
#include "core/base/private_file.h"

namespace lockstep {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNew = ".new-";
constexpr std::string_view kReady = "window-";
constexpr const char* kLock = "lock";

Error failureOf(const fs::path& path)
{
    const int reason = errno;
    return {ErrorKind::io, path.string() + ": " + std::strerror(reason)};
}

// Opens and locks a file. Returns its descriptor, or -1 if another program holds the lock or opening fails.
int lockedFile(const fs::path& path, int flags)
{
    const int file = ::open(path.c_str(), flags | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) return -1;
    if (::flock(file, LOCK_EX | LOCK_NB) == 0) return file;
    ::close(file);
    return -1;
}

} // namespace

fs::path journalFolder()
{
    return userStateFolder() / "journals";
}

// Locks the folder before renaming it to its final name, so that no other program can find it unlocked.
Result<Journal> Journal::begin(const fs::path& below)
{
    LOCKSTEP_TRY(makePrivateFolders(below));
    std::string made = (below / (std::string(kNew) + "XXXXXX")).string();
    if (::mkdtemp(made.data()) == nullptr) return tl::make_unexpected(failureOf(below));
    const int lock = lockedFile(fs::path(made) / kLock, O_CREAT);
    if (lock < 0) return tl::make_unexpected(failureOf(made));
    const fs::path folder =
        below / (std::string(kReady) + std::to_string(::getpid()) + made.substr(made.rfind('-')));
    if (::rename(made.c_str(), folder.c_str()) != 0) {
        const Error failure = failureOf(folder);
        ::close(lock);
        return tl::make_unexpected(failure);
    }
    return Journal(folder, lock);
}

std::vector<Journal> Journal::takeAbandoned(const fs::path& below)
{
    std::vector<std::pair<fs::file_time_type, Journal>> found;
    std::error_code error;
    std::vector<fs::path> folders;
    for (const auto& entry : fs::directory_iterator(below, error)) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with(kReady) && entry.is_directory(error) && !entry.is_symlink(error))
            folders.push_back(entry.path());
    }
    for (const fs::path& folder : folders) {
        const int lock = lockedFile(folder / kLock, 0);
        if (lock < 0) continue;
        Journal journal(folder, lock);
        const auto time = fs::last_write_time(journal.file(), error);
        if (error) {
            journal.remove();
        } else {
            found.emplace_back(time, std::move(journal));
        }
    }
    std::ranges::sort(found, std::greater(), [](const auto& one) { return one.first; });
    std::vector<Journal> left;
    for (auto& [time, journal] : found)
        left.push_back(std::move(journal));
    return left;
}

Journal::~Journal()
{
    if (m_lock >= 0) ::close(m_lock);
}

Status Journal::write(std::string_view text) const
{
    OutputFile out = LOCKSTEP_TRY(OutputFile::create(file(), 0600));
    out.write(text);
    return out.commit();
}

Status Journal::clear() const
{
    if (::unlink(file().c_str()) == 0 || errno == ENOENT) return {};
    return tl::make_unexpected(failureOf(file()));
}

Result<std::string> Journal::read() const
{
    const MappedFile mapped = LOCKSTEP_TRY(MappedFile::open(file()));
    return std::string(mapped.text());
}

void Journal::remove()
{
    if (m_lock < 0) return;
    std::error_code ignored;
    fs::remove(file(), ignored); // removed first, because a folder without this file is ignored
    fs::remove_all(m_folder, ignored);
    ::close(std::exchange(m_lock, -1));
    m_folder.clear();
}

Result<fs::path> Journal::setAside()
{
    const fs::path aside = m_folder.parent_path() / ("damaged-" + m_folder.filename().string() + ".json");
    if (::rename(file().c_str(), aside.c_str()) != 0) return tl::make_unexpected(failureOf(aside));
    remove();
    return aside;
}

} // namespace lockstep
