// SPDX-License-Identifier: Apache-2.0
// LiveRecords shows a growing file of records, of which each is one line of JSON, as a report during a run.
// The whole file is read again each time, because later records complete earlier ones: spans name their
// parents, and intervals end. One thread at a time; O(size of the file).
#pragma once

#include <cstdint>
#include <filesystem>

#include "core/readers/live_file.h"

namespace lockstep {

class LiveRecords : public LiveFile {
  public:
    // Sets the file to read and its size. The path changes if a shorter copy replaces the file.
    void follow(const std::filesystem::path& path, uint64_t size_bytes);
    Result<std::shared_ptr<const Report>> read(const Progress& progress) override;

  private:
    std::filesystem::path m_path, m_readPath;
    uint64_t m_size_bytes = 0, m_read_bytes = 0;
    uint64_t m_cut_bytes = 0; // size at which the last line was not complete
};

} // namespace lockstep
