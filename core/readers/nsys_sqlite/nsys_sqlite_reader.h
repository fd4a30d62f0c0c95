// SPDX-License-Identifier: Apache-2.0
// Reader of Nsight Systems SQLite exports (`nsys export -t sqlite`), schemas of 2021 to 2026, probed table by
// table.
#pragma once

#include "core/readers/reader.h"

namespace lockstep {

// Reads the export in `file`. The report's provenance is `opened` (path, size, kind, readFrom) with producer
// and schema of the export. Errors: corrupt if the file is not an SQLite database, unsupported if nsys did
// not write the file, io if the file is locked.
Result<std::unique_ptr<Report>> readNsysExport(const std::filesystem::path& file, Provenance opened,
                                               const Progress& progress);
// Returns the details of a slice of a report from readNsysExport(file, ...).
Result<SliceDetails> readNsysDetails(const std::filesystem::path& file, const Report& report, SliceId slice);

// Returns true for a complete database that nsys finished writing.
bool isCompleteNsysExport(const std::filesystem::path& path);

} // namespace lockstep
