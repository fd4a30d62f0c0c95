// SPDX-License-Identifier: Apache-2.0
// KeptReport: what was too large for memory and was read into files lies there as columns already; named, it
// is what the next opening of the same file takes instead of reading it again. A kept report is a workspace
// file of raw columns, made by this very program, of a file that has not changed since. Made before the file
// is read, so that one that changes meanwhile is not kept as what it became. One thread; programs that share
// the folder do each other no harm.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/base/progress.h"
#include "core/base/spill_folder.h"
#include "core/readers/reader.h"

namespace lockstep {

class KeptReport {
  public:
    // The place of progress must be on disk, and outlive this. canceled is the only error. What is kept of an
    // earlier state of the file goes.
    static Result<KeptReport> of(const std::filesystem::path& path, const Progress& progress);

    // The contents of the file as they are kept, the report finished; nothing where they are not, or are
    // damaged (then they go). canceled is the only error.
    Result<std::optional<FileContents>> open(const Progress& progress, FinishReport finish) const;
    // Keeps what was just read of the file, whose columns lie in the place of progress; what was used longest
    // ago goes. What cannot be kept is read again the next time. io where the disk is full, canceled.
    Status keep(const FileContents& contents, const Progress& progress) const;

  private:
    KeptReport() = default;

    std::filesystem::path m_path;
    std::filesystem::path m_kept; // empty: the file cannot be looked at; its reader says why
    std::string m_state;          // of the file, when this was made
};

} // namespace lockstep
