// SPDX-License-Identifier: Apache-2.0
// Reader of Nsight Systems reports (.nsys-rep, .qdrep) and raw streams (.qdstrm): an installed nsys converts
// them to a cached SQLite export, which is then read.
#pragma once

#include "core/readers/nsys_report/report_conversion.h"
#include "core/readers/reader.h"

namespace lockstep {

// Like Reader::read, but with explicit places. The report's provenance contains the opened file, and the path
// of the export in readFrom.
Result<std::unique_ptr<Report>> readNsysReport(const FileSniff& file, const ConversionFolders& places,
                                               const Progress& progress);

// Returns true for a complete report if an nsys in these places is new enough to convert the report. Runs
// each nsys once.
bool canConvert(const std::filesystem::path& report, const ConversionFolders& places);

} // namespace lockstep
