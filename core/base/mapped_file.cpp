// SPDX-License-Identifier: Apache-2.0
#include "core/base/mapped_file.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lockstep {

namespace {

Error systemError(const std::filesystem::path& path, const char* action)
{
    const ErrorKind kind = errno == ENOENT ? ErrorKind::notFound : ErrorKind::io;
    return {kind, path.string() + ": cannot " + action + ": " + std::strerror(errno)};
}

} // namespace

Result<MappedFile> MappedFile::open(const std::filesystem::path& path)
{
    // Opening a pipe that has no writer must fail like opening any other pipe, and must not block.
    const int fd = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return tl::make_unexpected(systemError(path, "open"));
    struct stat status = {};
    if (::fstat(fd, &status) != 0) {
        const Error error = systemError(path, "examine");
        ::close(fd);
        return tl::make_unexpected(error);
    }
    if (!S_ISREG(status.st_mode)) {
        ::close(fd);
        return makeError(ErrorKind::io, path.string() + ": not a regular file");
    }
    MappedFile file;
    file.m_size = static_cast<size_t>(status.st_size);
    if (file.m_size > 0) {
        void* const data = ::mmap(nullptr, file.m_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (data == MAP_FAILED) {
            const Error error = systemError(path, "map");
            ::close(fd);
            return tl::make_unexpected(error);
        }
        file.m_data = static_cast<const char*>(data);
    }
    ::close(fd);
    return file;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : m_data(std::exchange(other.m_data, nullptr)), m_size(std::exchange(other.m_size, 0)),
      m_limit(std::move(other.m_limit))
{
}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept
{
    std::swap(m_data, other.m_data);
    std::swap(m_size, other.m_size);
    m_limit.swap(other.m_limit);
    return *this;
}

MappedFile::~MappedFile()
{
    if (m_data == nullptr) return;
    if (m_limit) m_limit->remove(m_data);
    ::munmap(const_cast<char*>(m_data), m_size);
}

void MappedFile::watch(std::shared_ptr<ResidentLimit> limit)
{
    if (m_data == nullptr || m_limit || !limit) return;
    m_limit = std::move(limit);
    m_limit->add(m_data, m_size);
}

void MappedFile::release(size_t begin_bytes, size_t size_bytes) const
{
    constexpr size_t kPage = 4096;
    const size_t begin = (begin_bytes + kPage - 1) / kPage * kPage;
    const size_t end = std::min(begin_bytes + size_bytes, m_size) / kPage * kPage;
    if (m_data != nullptr && begin < end) {
        ::madvise(const_cast<char*>(m_data) + begin, end - begin, MADV_DONTNEED);
    }
}

} // namespace lockstep
