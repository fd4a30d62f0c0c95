// SPDX-License-Identifier: Apache-2.0
// SpillFolder: the folder on disk where reports go that are too large for memory, and how much of the disk
// they may take. Made by whoever starts a program, handed down with its MemoryBudget; nothing is made on disk
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
        std::filesystem::path folder;            // made 0700 when it is needed
        std::optional<uint64_t> most_bytes = {}; // of what is kept there for another opening; nothing said:
                                                 // half of what the disk has free
        bool comparesContent = false; // what is kept counts for a file of that digest; else of that size,
                                      // time and inode
    };
    explicit SpillFolder(Options options) : m_options(std::move(options)) {}

    const Options& options() const { return m_options; }
    // Room for a report of about so many bytes, and for what is needed while it is read. What is kept goes
    // where that makes the room, what was used longest ago first. limit_bytes: what the process may hold; 0 =
    // any. io: the disk has no such room, the folder cannot be made, lies in memory itself,
    // or others may write there.
    Result<ColumnPlace> place(uint64_t report_bytes, uint64_t limit_bytes);
    // The limit for mapped files of this program; null where it may hold any number.
    std::shared_ptr<ResidentLimit> limit(uint64_t limit_bytes);
    // Removes what is kept until no more than so many bytes are, what was used longest ago first; never
    // `spared`.
    void prune(uint64_t most_bytes, const std::filesystem::path& spared = {}) const;
    // Of what is kept, at the present state of the disk.
    uint64_t most_bytes() const;

  private:
    const Options m_options;
    std::mutex m_mutex;
    std::shared_ptr<ResidentLimit> m_limit;
};

} // namespace lockstep
