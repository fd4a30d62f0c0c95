// SPDX-License-Identifier: Apache-2.0
#include "core/base/spill_folder.h"

#include <algorithm>
#include <vector>

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "core/base/block_file.h"
#include "core/base/private_file.h"
#include "core/base/report_formats.h"
#include "core/base/text.h"

namespace lockstep {

namespace {

namespace fs = std::filesystem;

// Temporary rows, sums and links need about as much space again as the report itself.
constexpr uint64_t kDiskNeeded_tenths = 22;

struct CachedFile {
    fs::path path;
    int64_t used_ns = 0;
    uint64_t size_bytes = 0;
};

std::vector<CachedFile> cachedFilesIn(const fs::path& folder)
{
    std::vector<CachedFile> cached;
    std::error_code failed;
    for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end;
         entry.increment(failed)) {
        struct stat found = {};
        if (entry->path().extension() != kWorkspaceSuffix || ::lstat(entry->path().c_str(), &found) != 0 ||
            !S_ISREG(found.st_mode))
            continue;
        cached.push_back({entry->path(), found.st_mtim.tv_sec * 1'000'000'000 + found.st_mtim.tv_nsec,
                          static_cast<uint64_t>(found.st_blocks) * 512});
    }
    return cached;
}

uint64_t storedBytes(const std::vector<CachedFile>& cached)
{
    uint64_t bytes = 0;
    for (const CachedFile& one : cached)
        bytes += one.size_bytes;
    return bytes;
}

// Deleter of a limit that also identifies the limit's owner.
struct LimitOf {
    std::weak_ptr<SpillFolder> folder;
    void operator()(ResidentLimit* limit) const { delete limit; }
};

std::string inBytes(uint64_t bytes)
{
    return byteText(static_cast<int64_t>(bytes));
}

} // namespace

std::shared_ptr<ResidentLimit> SpillFolder::limit(uint64_t limit_bytes)
{
    if (limit_bytes == 0) return nullptr;
    const std::scoped_lock lock(m_mutex);
    if (m_limit) {
        m_limit->setLimit(limit_bytes);
    } else {
        m_limit = std::shared_ptr<ResidentLimit>(new ResidentLimit(limit_bytes), LimitOf{weak_from_this()});
    }
    return m_limit;
}

std::shared_ptr<SpillFolder> overflowFolderOf(const std::shared_ptr<ResidentLimit>& limit)
{
    const LimitOf* const owner = std::get_deleter<LimitOf>(limit);
    return owner != nullptr ? owner->folder.lock() : nullptr;
}

uint64_t SpillFolder::max_bytes() const
{
    if (m_options.max_bytes) return *m_options.max_bytes;
    const uint64_t stored_bytes = storedBytes(cachedFilesIn(m_options.folder));
    std::error_code failed;
    const fs::space_info space = fs::space(m_options.folder, failed);
    return failed ? stored_bytes : (space.available + stored_bytes) / 2;
}

void SpillFolder::prune(uint64_t max_bytes, const fs::path& exempt) const
{
    std::vector<CachedFile> cached = cachedFilesIn(m_options.folder);
    std::ranges::sort(cached, {}, &CachedFile::used_ns);
    uint64_t total_bytes = storedBytes(cached);
    for (const CachedFile& one : cached) {
        if (total_bytes <= max_bytes) return;
        std::error_code failed;
        if (one.path == exempt || !fs::remove(one.path, failed)) continue;
        total_bytes -= one.size_bytes; // the disk space is freed once no program has the file open
    }
}

Result<ColumnPlace> SpillFolder::place(uint64_t report_bytes, uint64_t limit_bytes)
{
    const fs::path& folder = m_options.folder;
    LOCKSTEP_TRY(makePrivateFolders(folder));
    struct stat owner = {};
    struct statfs disk = {};
    if (::stat(folder.c_str(), &owner) != 0 || ::statfs(folder.c_str(), &disk) != 0)
        return makeError(ErrorKind::io, folder.string() + ": cannot be examined");
    if (owner.st_uid != ::geteuid() || (owner.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        return makeError(
            ErrorKind::io,
            folder.string() +
                ": other users can write to this folder, so cached data would not be trustworthy; "
                "choose a cache folder that only you can write to",
            HelpTopic::cache);
    if (disk.f_type == TMPFS_MAGIC || disk.f_type == RAMFS_MAGIC)
        return makeError(ErrorKind::io,
                         folder.string() + ": this folder is in memory; choose a cache folder on a disk",
                         HelpTopic::cache);
    const uint64_t needed_bytes = report_bytes / 10 * kDiskNeeded_tenths;
    const auto free_bytes = [&] {
        std::error_code failed;
        const fs::space_info space = fs::space(folder, failed);
        return failed ? uint64_t(0) : uint64_t(space.available);
    };
    const uint64_t stored_bytes = storedBytes(cachedFilesIn(folder));
    if (free_bytes() < needed_bytes && free_bytes() + stored_bytes >= needed_bytes)
        prune(stored_bytes - (needed_bytes - free_bytes()));
    if (free_bytes() < needed_bytes)
        return makeError(ErrorKind::io,
                         folder.string() + ": about " + inBytes(needed_bytes) + " are needed on this disk, " +
                             inBytes(free_bytes()) +
                             " are free; free some space, or choose another cache folder",
                         HelpTopic::cache);
    const auto resident = limit(limit_bytes);
    auto persistent = LOCKSTEP_TRY(SpillFile::create(folder, resident));
    persistent->append(std::string(kBlockAlignment, '\0')); // reserved for the header of a block file
    auto temporary = LOCKSTEP_TRY(SpillFile::create(folder, resident));
    return ColumnPlace(std::move(persistent), std::move(temporary), shared_from_this());
}

} // namespace lockstep
