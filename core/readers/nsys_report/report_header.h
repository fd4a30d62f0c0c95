// SPDX-License-Identifier: Apache-2.0
// ReportHeader: what the first and last bytes of an Nsight Systems report say. Nothing between them is read:
// the container is NVIDIA's own, and only nsys can open it.
#pragma once

#include <optional>
#include <string>

#include "core/readers/nsys_report/nsys_version.h"
#include "core/readers/reader.h"

namespace lockstep {

enum class ReportForm : uint8_t {
    report,   // .nsys-rep, until 2021 .qdrep: a finished report
    rawStream // .qdstrm: what the profiler leaves when its import step did not run
};

struct ReportHeader {
    ReportForm form = ReportForm::report;
    std::string versionToken; // a report's "2025@6@1@190-256136895201v0", "1" up to 2022 at least;
                              // a stream's "2022.4.2.1-df9881f"
    std::optional<NsightRelease> version; // of the nsys that wrote it; absent for the token "1"
    bool isComplete = false;              // the file ends with the end mark
};

// Empty for files of other kinds. Reports open with "NVIDIA Tegra Profiler Report ", streams with
// "U3w[END]NVIDIA Nsight Systems Stream " and their version up to '!' (seen in 2022.4 and 2023.4); both end
// with "U3w[END]". A stream that opens otherwise goes by its name.
std::optional<ReportHeader> readReportHeader(const FileSniff& file);

} // namespace lockstep
