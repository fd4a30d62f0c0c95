// SPDX-License-Identifier: Apache-2.0
// ReportHeader: the information in the first and last bytes of an Nsight Systems report. The data in between
// is not read, because the container format is proprietary and only nsys can read that format.
#pragma once

#include <optional>
#include <string>

#include "core/readers/nsys_report/nsys_version.h"
#include "core/readers/reader.h"

namespace lockstep {

enum class ReportForm : uint8_t {
    report,   // .nsys-rep (.qdrep until 2021): a complete report
    rawStream // .qdstrm: the profiler's output if its import step did not run
};

struct ReportHeader {
    ReportForm form = ReportForm::report;
    // Report: "2025@6@1@190-256136895201v0", or "1" until at least 2022. Stream: "2022.4.2.1-df9881f".
    std::string versionToken;
    // version of the nsys that wrote the file; absent for the token "1"
    std::optional<NsightRelease> version;
    bool isComplete = false; // true if the file ends with the end marker
};

// Returns the header, or nullopt for other files. Reports start with "NVIDIA Tegra Profiler Report ". Streams
// start with "U3w[END]NVIDIA Nsight Systems Stream " and their version up to '!' (seen in 2022.4 and 2023.4).
// Both end with "U3w[END]". Other streams are recognized by file name.
std::optional<ReportHeader> readReportHeader(const FileSniff& file);

} // namespace lockstep
