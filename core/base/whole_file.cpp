// SPDX-License-Identifier: Apache-2.0
#include "core/base/whole_file.h"

#include <array>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

namespace lockstep {

Result<std::string> readWholeFile(const std::filesystem::path& path)
{
    const auto failure = [&path](const char* action) {
        const ErrorKind kind = errno == ENOENT ? ErrorKind::notFound : ErrorKind::io;
        return makeError(kind, path.string() + ": cannot " + action + ": " + std::strerror(errno));
    };
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return failure("open");
    std::string text;
    std::array<char, 16384> part;
    ssize_t count = 0;
    while ((count = ::read(fd, part.data(), part.size())) != 0) {
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) break;
        text.append(part.data(), static_cast<size_t>(count));
    }
    if (count == 0) {
        ::close(fd);
        return text;
    }
    const auto error = failure("read");
    ::close(fd);
    return error;
}

std::string wholeFileOrEmpty(const std::filesystem::path& path)
{
    return readWholeFile(path).value_or(std::string());
}

} // namespace lockstep
