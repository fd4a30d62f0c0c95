// SPDX-License-Identifier: Apache-2.0
// Nsight Systems SQLite exports (`nsys export -t sqlite`), schemas of 2021 to 2026, probed table by table.
#pragma once

#include "core/readers/reader.h"

namespace lockstep {

Reader nsysSqliteReader();

// Reads the export in `file` into a report whose provenance starts as `opened` (path, size, kind, readFrom);
// producer and schema are the export's. corrupt: no SQLite database. unsupported: one that nsys did not
// write. io: locked.
Result<std::unique_ptr<Report>> readNsysExport(const std::filesystem::path& file, Provenance opened,
                                               const Progress& progress);
// The details of a slice whose report came from readNsysExport(file, ...).
Result<SliceDetails> readNsysDetails(const std::filesystem::path& file, const Report& report, SliceId slice);
// Facts of its rows: see openRowFacts().
Result<std::unique_ptr<RowFactReader>> openNsysFacts(const std::filesystem::path& file, const Report& report);

// True for a database that nsys finished writing and that is all there.
bool isWholeNsysExport(const std::filesystem::path& path);

} // namespace lockstep
