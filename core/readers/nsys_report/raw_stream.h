// SPDX-License-Identifier: Apache-2.0
// RawStream: what the profiler leaves (.qdstrm) when its own import did not run, as on a node that has the
// target half of an installation only. An importer takes streams of its very version and refuses all others.
#pragma once

#include <span>

#include "core/base/progress.h"
#include "core/readers/nsys_report/nsys_install.h"
#include "core/readers/nsys_report/report_header.h"

namespace lockstep {

// The importer of the stream's version among those of these folders' installations; any, where the stream
// does not tell its version. unsupported: none; the message names the version and the command to run where it
// is. canceled.
Result<NsysInstall> importerFor(const FileSniff& stream, const ReportHeader& header,
                                std::span<const std::filesystem::path> folders, const Progress& progress);

// Turns the stream into the report `target`, and returns it. The importer works on a copy beside the target,
// because it adds a section to its input. corrupt: it refused the stream, and why. io, canceled. The copy is
// gone afterwards; the target may be half made after an error.
Result<std::filesystem::path> importStream(const FileSniff& stream, const NsysInstall& importer,
                                           const std::filesystem::path& target, const Progress& progress);

} // namespace lockstep
