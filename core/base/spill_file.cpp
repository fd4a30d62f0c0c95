// SPDX-License-Identifier: Apache-2.0
#include "core/base/spill_file.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace lockstep {

namespace {

namespace fs = std::filesystem;

constexpr uint64_t kPage_bytes = 4096;

constexpr uint64_t wholePages(uint64_t size_bytes)
{
    return (size_bytes + kPage_bytes - 1) / kPage_bytes * kPage_bytes;
}

std::string processNameOf(int file)
{
    return "/proc/self/fd/" + std::to_string(file);
}

// Opens a file without a name. If the file system does not support that, creates a named file and unlinks it;
// such a file cannot be named later.
int openUnnamed(const fs::path& folder, bool& canBeNamed)
{
    int file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    canBeNamed = file >= 0 && ::access(processNameOf(file).c_str(), F_OK) == 0;
    if (file >= 0) return file;
    std::string name = (folder / ".lockstep-spill-XXXXXX").string();
    file = ::mkostemp(name.data(), O_CLOEXEC);
    if (file >= 0) ::unlink(name.c_str());
    return file;
}

} // namespace

Result<std::shared_ptr<SpillFile>> SpillFile::create(const fs::path& folder,
                                                     std::shared_ptr<ResidentLimit> limit)
{
    std::shared_ptr<SpillFile> out(new SpillFile);
    out->m_folder = folder;
    out->m_limit = std::move(limit);
    out->m_file = openUnnamed(folder, out->m_canBeNamed);
    if (out->m_file < 0)
        return makeError(ErrorKind::io, folder.string() +
                                            ": cannot create a file for data that does not fit in memory: " +
                                            std::strerror(errno));
    return out;
}

SpillFile::~SpillFile()
{
    for (const auto& [memory, taken] : m_taken) {
        if (m_limit) m_limit->remove(memory);
        ::munmap(const_cast<char*>(memory), taken.size_bytes);
    }
    if (m_file >= 0) ::close(m_file);
}

void SpillFile::fail(int error)
{
    if (m_failure) return;
    m_hasFailed = true;
    m_failure =
        Error{ErrorKind::io,
              m_folder.string() + ": no space for data that does not fit in memory: " + std::strerror(error) +
                  "; free some space, choose another cache folder, or raise the memory limit",
              HelpTopic::cache};
}

void* SpillFile::take(size_t size_bytes)
{
    const std::scoped_lock lock(m_mutex);
    if (m_failure) return nullptr;
    const uint64_t length = wholePages(std::max<size_t>(size_bytes, 1));
    const uint64_t offset = wholePages(m_size_bytes);
    if (const int error = ::posix_fallocate(m_file, static_cast<off_t>(offset), static_cast<off_t>(length));
        error != 0) {
        fail(error);
        return nullptr;
    }
    void* const memory =
        ::mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_SHARED, m_file, static_cast<off_t>(offset));
    if (memory == MAP_FAILED) {
        fail(errno);
        return nullptr;
    }
    m_size_bytes = offset + length;
    m_taken[static_cast<const char*>(memory)] = {length, offset};
    if (m_limit) m_limit->add(memory, length);
    return memory;
}

void SpillFile::release(void* memory)
{
    const std::scoped_lock lock(m_mutex);
    const auto taken = m_taken.find(static_cast<const char*>(memory));
    if (taken == m_taken.end()) return;
    if (m_limit) m_limit->remove(memory);
    const auto [size_bytes, offset] = taken->second;
    m_taken.erase(taken);
    ::munmap(memory, size_bytes);
    // On failure, the space stays allocated until the file is destroyed.
    ::fallocate(m_file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                static_cast<off_t>(size_bytes));
}

Status SpillFile::status() const
{
    const std::scoped_lock lock(m_mutex);
    if (m_failure) return tl::make_unexpected(*m_failure);
    return {};
}

void SpillFile::writeAt(std::string_view bytes, uint64_t offset)
{
    while (!bytes.empty() && !m_failure) {
        const ssize_t written = ::pwrite(m_file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return fail(written < 0 ? errno : ENOSPC);
        bytes.remove_prefix(static_cast<size_t>(written));
        offset += static_cast<uint64_t>(written);
    }
}

void SpillFile::append(std::string_view bytes)
{
    const std::scoped_lock lock(m_mutex);
    writeAt(bytes, m_size_bytes);
    m_size_bytes += bytes.size();
}

void SpillFile::writeBegin(std::string_view bytes)
{
    const std::scoped_lock lock(m_mutex);
    writeAt(bytes, 0);
}

uint64_t SpillFile::size_bytes() const
{
    const std::scoped_lock lock(m_mutex);
    return m_size_bytes;
}

std::optional<uint64_t> SpillFile::offsetOf(const void* memory) const
{
    const std::scoped_lock lock(m_mutex);
    const auto* const at = static_cast<const char*>(memory);
    auto taken = m_taken.upper_bound(at);
    if (taken == m_taken.begin()) return std::nullopt;
    --taken;
    const auto distance = static_cast<uint64_t>(at - taken->first);
    if (distance >= taken->second.size_bytes) return std::nullopt;
    return taken->second.offset + distance;
}

void SpillFile::seal()
{
    const std::scoped_lock lock(m_mutex);
    for (const auto& [memory, taken] : m_taken)
        ::mprotect(const_cast<char*>(memory), taken.size_bytes, PROT_READ);
}

Status SpillFile::name(const fs::path& path)
{
    LOCKSTEP_TRY(status());
    const std::scoped_lock lock(m_mutex);
    if (!m_canBeNamed)
        return makeError(ErrorKind::unsupported,
                         m_folder.string() + ": its file system cannot store a file created without a name");
    if (::ftruncate(m_file, static_cast<off_t>(m_size_bytes)) != 0 ||
        (::linkat(AT_FDCWD, processNameOf(m_file).c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) != 0 &&
         errno != EEXIST))
        return makeError(ErrorKind::io, path.string() + ": cannot be saved: " + std::strerror(errno));
    return {};
}

} // namespace lockstep
