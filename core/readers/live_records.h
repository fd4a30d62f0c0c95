// SPDX-License-Identifier: Apache-2.0
// LiveRecords shows a growing recording as a report during a run. Its files consist of records, of which each
// is one line of JSON. They are read again each time, because later records complete earlier ones: spans name
// their parents, and intervals end. One thread at a time; O(size of the files).
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/readers/live_file.h"

namespace lockstep {

class LiveRecords : public LiveFile {
  public:
    struct Part {
        std::filesystem::path path; // changes if a shorter copy replaces the file
        uint64_t size_bytes = 0;

        friend bool operator==(const Part&, const Part&) = default;
    };

    // Sets the files to read, in the order in which they are written, and their sizes.
    void follow(std::vector<Part> parts) { m_parts = std::move(parts); }
    Result<std::shared_ptr<const Report>> read(const Progress& progress) override;

  private:
    std::vector<Part> m_parts, m_read;
    std::vector<Part> m_cut; // files of which the last line of one was not complete
};

} // namespace lockstep
