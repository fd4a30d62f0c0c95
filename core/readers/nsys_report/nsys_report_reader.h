// SPDX-License-Identifier: Apache-2.0
// Nsight Systems reports (.nsys-rep, .qdrep) and raw streams (.qdstrm): converted by an installed nsys into a
// cached SQLite export, which is what is read.
#pragma once

#include "core/readers/nsys_report/report_conversion.h"
#include "core/readers/reader.h"

namespace lockstep {

Reader nsysReportReader();

// Reader::read with places other than this machine's own. The report's provenance names the file as opened,
// and the export in readFrom.
Result<std::unique_ptr<Report>> readNsysReport(const FileSniff& file, const ConversionPlaces& places,
                                               const Progress& progress);

// True for a finished report that an nsys of these places is new enough to convert. Runs each nsys once.
bool canConvert(const std::filesystem::path& report, const ConversionPlaces& places);

} // namespace lockstep
