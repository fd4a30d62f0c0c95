// SPDX-License-Identifier: Apache-2.0
#include "core/base/memory_budget.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <mutex>
#include <utility>

#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include "core/base/text.h"
#include "core/base/whole_file.h"

namespace lockstep {

namespace {

std::string bytesText(uint64_t bytes)
{
    return byteText(static_cast<int64_t>(bytes));
}

} // namespace

struct MemoryBudget::Account {
    std::mutex mutex;
    Options options;
    uint64_t leased_bytes = 0;

    // The mutex must be locked.
    uint64_t used_bytes() const
    {
        return options.measure_bytes ? std::max(leased_bytes, options.measure_bytes()) : leased_bytes;
    }
    bool hasRoom(uint64_t bytes) const
    {
        if (options.limit_bytes == 0) return true;
        const uint64_t taken = used_bytes(); // a file may claim any size
        return taken <= options.limit_bytes && bytes <= options.limit_bytes - taken;
    }
};

MemoryBudget::Lease::Lease(std::shared_ptr<Account> account, uint64_t bytes)
    : m_account(std::move(account)), m_bytes(bytes)
{
}

MemoryBudget::Lease::Lease(Lease&& other) noexcept
    : m_account(std::move(other.m_account)), m_bytes(std::exchange(other.m_bytes, 0))
{
}

MemoryBudget::Lease& MemoryBudget::Lease::operator=(Lease&& other) noexcept
{
    if (this == &other) return *this;
    release();
    m_account = std::move(other.m_account);
    m_bytes = std::exchange(other.m_bytes, 0);
    return *this;
}

void MemoryBudget::Lease::resize(uint64_t bytes)
{
    if (!m_account) return;
    const std::scoped_lock lock(m_account->mutex);
    m_account->leased_bytes += bytes - m_bytes;
    m_bytes = bytes;
}

void MemoryBudget::Lease::release()
{
    resize(0);
    m_account.reset();
}

MemoryBudget::MemoryBudget(Options options) : m_account(std::make_shared<Account>())
{
    m_account->options = std::move(options);
}

void MemoryBudget::setLimit(uint64_t limit_bytes)
{
    const std::scoped_lock lock(m_account->mutex);
    m_account->options.limit_bytes = limit_bytes;
}

void MemoryBudget::setDisk(std::shared_ptr<SpillFolder> disk)
{
    const std::scoped_lock lock(m_account->mutex);
    m_account->options.disk = std::move(disk);
}

uint64_t MemoryBudget::limit_bytes() const
{
    const std::scoped_lock lock(m_account->mutex);
    return m_account->options.limit_bytes;
}

uint64_t MemoryBudget::used_bytes() const
{
    const std::scoped_lock lock(m_account->mutex);
    return m_account->used_bytes();
}

bool MemoryBudget::hasRoom(uint64_t bytes) const
{
    const std::scoped_lock lock(m_account->mutex);
    return m_account->hasRoom(bytes);
}

bool MemoryBudget::hasDisk() const
{
    const std::scoped_lock lock(m_account->mutex);
    return m_account->options.disk != nullptr;
}

Result<MemoryBudget::Lease> MemoryBudget::take(uint64_t bytes, const std::string& what)
{
    const std::scoped_lock lock(m_account->mutex);
    if (!m_account->hasRoom(bytes)) {
        const Options& options = m_account->options;
        return makeError(ErrorKind::io,
                         what + ": not loaded: it needs about " + bytesText(bytes) + " in addition to " +
                             bytesText(m_account->used_bytes()) +
                             " in use, which would exceed the memory limit of " +
                             bytesText(options.limit_bytes) + "; " + options.advice,
                         HelpTopic::memoryLimit);
    }
    m_account->leased_bytes += bytes;
    return Lease(m_account, bytes);
}

Result<MemoryBudget::Reservation> MemoryBudget::room(uint64_t bytes, const std::string& what)
{
    constexpr uint64_t kBesideColumns_bytes = uint64_t(4) << 20;
    const std::shared_ptr<SpillFolder> disk = m_account->options.disk;
    auto memory = take(bytes, what);
    if (memory)
        return Reservation{*std::move(memory), ColumnPlace(disk ? disk->limit(limit_bytes()) : nullptr)};
    if (!disk) return tl::make_unexpected(memory.error());
    auto place = disk->place(bytes, limit_bytes());
    if (!place)
        return makeError(ErrorKind::io,
                         memory.error().message +
                             "; cannot be placed on disk either: " + place.error().message,
                         memory.error().help);
    return Reservation{force(std::min(bytes, kBesideColumns_bytes)), *std::move(place)};
}

MemoryBudget::Lease MemoryBudget::force(uint64_t bytes)
{
    const std::scoped_lock lock(m_account->mutex);
    m_account->leased_bytes += bytes;
    return Lease(m_account, bytes);
}

MemoryUsage currentMemoryUsage()
{
    // proc(5): size, resident, shared, in pages. Read without allocating, because memory may be exhausted.
    std::array<char, 128> text{};
    const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (file < 0) return {};
    const ssize_t size = ::read(file, text.data(), text.size() - 1);
    ::close(file);
    if (size <= 0) return {};
    char* rest = text.data();
    std::strtoull(rest, &rest, 10);
    const uint64_t resident = std::strtoull(rest, &rest, 10);
    const uint64_t ofFiles = std::strtoull(rest, &rest, 10);
    const auto page_bytes = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
    return {(resident - std::min(resident, ofFiles)) * page_bytes, ofFiles * page_bytes};
}

uint64_t privateMemory_bytes()
{
    return currentMemoryUsage().own_bytes;
}

uint64_t cgroupMemoryLimit_bytes(const std::filesystem::path& root, std::string_view groups)
{
    // cgroups(7): hierarchy 0, no controllers, followed by the path
    constexpr std::string_view kVersion2 = "0::/";
    const size_t begin = groups.starts_with(kVersion2) ? 0 : groups.find("\n" + std::string(kVersion2));
    if (begin == std::string_view::npos) return 0;
    std::string_view name = groups.substr(groups.find(kVersion2, begin) + kVersion2.size());
    name = name.substr(0, name.find('\n'));
    uint64_t least_bytes = 0;
    for (std::filesystem::path group = root / name;; group = group.parent_path()) {
        std::ifstream file(group / "memory.max"); // a number, or "max"
        uint64_t max_bytes = 0;
        if (file >> max_bytes && (least_bytes == 0 || max_bytes < least_bytes)) least_bytes = max_bytes;
        if (group == root || group == group.parent_path()) return least_bytes;
    }
}

uint64_t machineMemory_bytes()
{
    const auto all_bytes =
        static_cast<uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
    const std::string groups = wholeFileOrEmpty("/proc/self/cgroup");
    const uint64_t group_bytes = cgroupMemoryLimit_bytes("/sys/fs/cgroup", groups);
    return group_bytes > 0 ? std::min(all_bytes, group_bytes) : all_bytes;
}

void returnLargeBlocks()
{
    ::mallopt(M_MMAP_THRESHOLD, 1 << 20);
}

void returnFreeMemory()
{
    ::malloc_trim(0);
}

} // namespace lockstep
