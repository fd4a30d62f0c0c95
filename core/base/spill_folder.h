// SPDX-License-Identifier: Apache-2.0
// SpillFolder: the folder on disk for reports that are too large for memory, and the limit on the disk space
// that they use. Created at program start and passed on with its MemoryBudget; nothing is created on disk
// before the first report needs it. Any thread. Several programs may share a folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>

#include "core/base/column_place.h"

namespace lockstep {

class SpillFolder : public std::enable_shared_from_this<SpillFolder> {
  public:
    struct Options {
        std::filesystem::path folder; // created with mode 0700 when needed
        // Limit on the size of all cached reports; nullopt: half of the free disk space.
        std::optional<uint64_t> max_bytes = {};
        // if true, cached reports are matched by SHA-256 instead of size, time and inode
        bool comparesContent = false;
    };
    explicit SpillFolder(Options options) : m_options(std::move(options)) {}

    const Options& options() const { return m_options; }
    // Makes room for a report of about `report_bytes` and the temporary data needed while it is read. Removes
    // cached reports if necessary, least recently used first. `limit_bytes` limits the memory of the process;
    // 0 = no limit. Returns io if the disk has too little room, or if the folder cannot be created, is on a
    // memory file system, or is writable by others.
    Result<ColumnPlace> place(uint64_t report_bytes, uint64_t limit_bytes);
    // Returns the limit on mapped pages of this process; null if there is no limit.
    std::shared_ptr<ResidentLimit> limit(uint64_t limit_bytes);
    // Removes cached reports, least recently used first, until at most `max_bytes` remain. Never removes
    // `exempt`.
    void prune(uint64_t max_bytes, const std::filesystem::path& exempt = {}) const;
    // Returns the limit on the size of cached reports for the current free disk space.
    uint64_t max_bytes() const;

  private:
    const Options m_options;
    std::mutex m_mutex;
    std::shared_ptr<ResidentLimit> m_limit;
};

// For a report that turns out to be too large for the heap while it is read: returns the folder whose
// SpillFolder::limit() is `limit`. Returns null for other limits, and after the folder was destroyed.
std::shared_ptr<SpillFolder> overflowFolderOf(const std::shared_ptr<ResidentLimit>& limit);

} // namespace lockstep
