// SPDX-License-Identifier: Apache-2.0
// ReportConversion converts a report that only nsys can open to an SQLite export in the cache. Blocks while
// nsys runs (minutes for large reports), so do not run it on the UI thread.
#pragma once

#include <filesystem>
#include <vector>

#include "core/base/progress.h"
#include "core/readers/nsys_report/report_header.h"

namespace lockstep {

struct ConversionFolders {
    std::vector<std::filesystem::path> programFolders; // folders to search for nsys
    std::filesystem::path cache;                       // folder for exports; created if missing
};

// Returns the folders of LOCKSTEP_NSYS_FOLDERS, the folders of PATH, the usual install locations, and the
// cache: $XDG_CACHE_HOME/lockstep/exports, otherwise ~/.cache/lockstep/exports.
ConversionFolders defaultConversionFolders();

// Returns the export of the report or raw stream `file`: the cached one if the same content was exported
// before, under any name, otherwise a new one. Errors: unsupported if no nsys is new enough or no importer
// has the stream's version, with the version and the command to run elsewhere; corrupt if the file is
// truncated or nsys rejects it; io; canceled. No incomplete file is left behind.
Result<std::filesystem::path> exportReport(const FileSniff& file, const ReportHeader& header,
                                           const ConversionFolders& places, const Progress& progress);

} // namespace lockstep
