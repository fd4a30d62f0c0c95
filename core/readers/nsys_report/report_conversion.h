// SPDX-License-Identifier: Apache-2.0
// ReportConversion: from a report that only nsys can open to an SQLite export in the cache. Blocks for as
// long as nsys takes (minutes for big reports); run it off the UI thread.
#pragma once

#include <filesystem>
#include <vector>

#include "core/base/progress.h"
#include "core/readers/nsys_report/report_header.h"

namespace lockstep {

struct ConversionPlaces {
    std::vector<std::filesystem::path> programFolders; // where to look for nsys
    std::filesystem::path cache;                       // where exports are kept; made when missing
};

// Folders of LOCKSTEP_NSYS_FOLDERS, of PATH and the usual install places; $XDG_CACHE_HOME/lockstep/exports,
// else
// ~/.cache/lockstep/exports.
ConversionPlaces defaultConversionPlaces();

// The export of the report or raw stream `file`: the one in the cache when this very content was exported
// before, whatever the file is called now, else a new one. unsupported: no nsys that is new enough, or no
// importer of a stream's version; the message names the version and the command to run where there is one.
// corrupt: cut short, or nsys says so. io, canceled. Nothing half-made stays behind.
Result<std::filesystem::path> exportReport(const FileSniff& file, const ReportHeader& header,
                                           const ConversionPlaces& places, const Progress& progress);

} // namespace lockstep
