// SPDX-License-Identifier: Apache-2.0
// RawStream: the profiler's output (.qdstrm), which remains if the import step did not run, as on a node that
// has only the target part of an installation. An importer accepts only streams of exactly its own version.
#pragma once

#include <span>

#include "core/base/progress.h"
#include "core/readers/nsys_report/nsys_install.h"
#include "core/readers/nsys_report/report_header.h"

namespace lockstep {

// Returns the importer that has the stream's version from the installations in these folders. If the stream
// does not contain its version, returns any importer. Errors: unsupported if there is no importer, with the
// version and the command to run elsewhere in the message; canceled.
Result<NsysInstall> importerFor(const FileSniff& stream, const ReportHeader& header,
                                std::span<const std::filesystem::path> folders, const Progress& progress);

// Converts the stream to the report `target` and returns it. The importer works on a copy next to the target,
// because the importer adds a section to its input. Errors: corrupt with the reason if the importer rejected
// the stream, io, canceled. The copy is removed; after an error the target may be incomplete.
Result<std::filesystem::path> importStream(const FileSniff& stream, const NsysInstall& importer,
                                           const std::filesystem::path& target, const Progress& progress);

} // namespace lockstep
