// SPDX-License-Identifier: Apache-2.0
// A folder on a disk (the shared temporary folder may be in memory), and places for reports in it.
#pragma once

#include <memory>

#include "core/base/spill_folder.h"
#include "tests/support/temp_dir.h"

namespace lockstep::test {

class DiskPlace {
  public:
    explicit DiskPlace(bool comparesContent = false)
        : m_spills(std::make_shared<SpillFolder>(
              SpillFolder::Options{m_folder.path() / "columns", {}, comparesContent}))
    {
    }

    std::filesystem::path folder() const { return m_folder.path() / "columns"; }
    // Memory limit of the process: nearly nothing, so that pages are released while in use.
    Result<ColumnPlace> place() const { return m_spills->place(1 << 20, 1 << 20); }
    const std::shared_ptr<SpillFolder>& spills() const { return m_spills; }
    size_t keptFiles() const
    {
        std::error_code failed;
        size_t count = 0;
        for (std::filesystem::directory_iterator entry(folder(), failed), end; !failed && entry != end;
             entry.increment(failed))
            ++count;
        return count;
    }

  private:
    const TempDir m_folder{"/var/tmp"};
    std::shared_ptr<SpillFolder> m_spills;
};

} // namespace lockstep::test
