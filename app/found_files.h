// findReports: the files that paths stand for. A file is taken as it is; a folder is walked and its files are told
// apart by content. Any thread; may take long on large trees.
#pragma once

#include <filesystem>
#include <vector>

#include "core/base/progress.h"
#include "ui/models/notes_model.h"

namespace lockstep {

struct FoundFiles {
    std::vector<std::filesystem::path> reports; // in the order given; those of a folder sorted by path
    std::vector<SkippedFile> skipped;           // files of folders that no reader recognises, or that cannot be read
};

// An .nsys-rep whose SQLite export stands beside it in a walked folder is skipped: both are one report. A folder that
// cannot be read counts as skipped. canceled is the only error.
Result<FoundFiles> findReports(const std::vector<std::filesystem::path>& paths, const Progress& progress);

} // namespace lockstep
