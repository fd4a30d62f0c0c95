// SPDX-License-Identifier: Apache-2.0
#include "core/base/private_file.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lockstep {

std::filesystem::path userCacheFolder()
{
    const char* const cache = std::getenv("XDG_CACHE_HOME");
    const char* const home = std::getenv("HOME");
    const std::filesystem::path base = cache != nullptr && *cache != '\0' ? std::filesystem::path(cache)
                                       : home != nullptr && *home != '\0'
                                           ? std::filesystem::path(home) / ".cache"
                                           : std::filesystem::temp_directory_path();
    return base / "lockstep";
}

std::filesystem::path userStateFolder()
{
    const char* const own = std::getenv("LOCKSTEP_STATE_HOME");
    if (own != nullptr && *own != '\0') return own;
    const char* const state = std::getenv("XDG_STATE_HOME");
    if (state != nullptr && *state == '/') return std::filesystem::path(state) / "lockstep";
    const char* const home = std::getenv("HOME");
    const std::filesystem::path base = home != nullptr && *home != '\0' ? home : "/";
    return base / ".local" / "state" / "lockstep";
}

Status makePrivateFolders(const std::filesystem::path& path)
{
    std::error_code error;
    if (path.empty() || std::filesystem::is_directory(path, error)) return {};
    if (path.has_parent_path() && path.parent_path() != path)
        LOCKSTEP_TRY(makePrivateFolders(path.parent_path()));
    if (::mkdir(path.c_str(), 0700) == 0) return {};
    const int failure = errno; // the next call overwrites errno
    if (std::filesystem::is_directory(path, error)) return {};
    return makeError(ErrorKind::io, path.string() + ": cannot be created: " + std::strerror(failure));
}

Status makePrivateFile(const std::filesystem::path& path)
{
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    const bool isPrivate = fd >= 0 && ::fchmod(fd, 0600) == 0;
    const int reason = errno;
    if (fd >= 0) ::close(fd);
    if (!isPrivate)
        return makeError(ErrorKind::io, path.string() + ": cannot be written: " + std::strerror(reason),
                         HelpTopic::writeError);
    return {};
}

} // namespace lockstep
