// SPDX-License-Identifier: Apache-2.0
// Kept reports: what was too large for memory and was read into files lies there as columns already; named,
// it is what the next opening of the same file takes instead of reading it again. A kept report is a
// workspace file of raw columns, made by this very program, of a file that has not changed since. Any thread;
// programs that share the folder do each other no harm.
#pragma once

#include <filesystem>
#include <optional>

#include "core/base/progress.h"
#include "core/base/spill_folder.h"
#include "core/readers/reader.h"

namespace lockstep {

// The contents of the file as they are kept, the report finished; nothing where they are not, or are damaged
// (then they go), or where the file has changed (then they go, too). canceled is the only error.
Result<std::optional<FileContents>> keptContents(const std::filesystem::path& path, const Progress& progress,
                                                 FinishReport finish);

// Keeps what was just read of the file, where its columns lie in the place of progress, which must be on
// disk; what was used longest ago goes. What cannot be kept is read again the next time. canceled is the only
// error.
Status keepContents(const std::filesystem::path& path, const FileContents& contents,
                    const Progress& progress);

} // namespace lockstep
