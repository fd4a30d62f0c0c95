// SPDX-License-Identifier: Apache-2.0
// CachedReport: the cache of reports that are too large for memory. The columns of such a report are in a
// file already. Once that file has a name, the next opening of the same report uses the file instead of
// reading the report again. A cached report is a workspace file of raw columns, created by the same build of
// the program, for a file that has not changed since. Created before the file is read, so that a file that
// changes meanwhile is not cached. One thread; programs may share the folder safely.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/base/spill_folder.h"
#include "core/readers/reader.h"

namespace lockstep {

class CachedReport {
  public:
    // Finds the place of a report in the cache. `files`: those of its recording, at least one.
    // progress.place() must be on disk and outlive this object. The only possible error is
    // ErrorKind::canceled. Removes cached reports of earlier states of the files.
    static Result<CachedReport> of(const std::vector<std::filesystem::path>& files, const Progress& progress);

    // Returns the cached contents with the report finished; nullopt if nothing is cached, or if the cached
    // data is corrupt (it is then removed). The only possible error is ErrorKind::canceled.
    Result<std::optional<FileContents>> open(const Progress& progress, FinishReport finish) const;
    // Caches the contents just read, whose columns are in progress.place(). Removes the least recently used
    // cached reports. A report that cannot be cached is read again next time. Errors: io if the disk is full,
    // canceled.
    Status store(const FileContents& contents, const Progress& progress) const;

  private:
    CachedReport() = default;

    std::vector<std::filesystem::path> m_files;
    std::filesystem::path m_cacheFile; // empty if a file cannot be examined; its reader reports the reason
    std::string m_state;               // state of the files when this object was created
};

} // namespace lockstep
