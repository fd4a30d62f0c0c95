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
    std::string versionToken;           // "2025@6@1@190-256136895201v0"; "1" up to about 2023
    std::optional<NsysVersion> version; // of the nsys that wrote it; absent for the token "1"
    bool isComplete = false;            // the file ends with the report's end mark
};

// Empty for files of other kinds. Reports open with "NVIDIA Tegra Profiler Report " and end with "U3w[END]";
// raw streams have no mark that tells them from other binary files, so they go by their name.
std::optional<ReportHeader> readReportHeader(const FileSniff& file);

} // namespace lockstep
