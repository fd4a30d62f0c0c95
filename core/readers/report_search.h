// findReports(): the files that a list of paths stands for. A file is taken as it is; a folder is walked and
// its files are told apart by content. Any thread; may take long on large trees.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/progress.h"

namespace lockstep {

// A file of a folder that is passed over, and why.
struct PassedOver {
    std::filesystem::path path;
    std::string reason;
};

struct FoundReports {
    std::vector<std::filesystem::path>
        reports; // in the order asked for, those of a folder by path; each file once
    std::vector<PassedOver> passedOver;
};

// A binary report whose SQLite export stands beside it in a walked folder is passed over: both are one
// report. Links to folders are not followed. canceled is the only error.
Result<FoundReports> findReports(const std::vector<std::filesystem::path>& paths, const Progress& progress);

} // namespace lockstep
