// SPDX-License-Identifier: Apache-2.0
// CapturedRun runs a program with the capture library and holds the reports that the program left.
#pragma once

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <QProcess>

#include "core/readers/reader.h"
#include "tests/support/patience.h"
#include "tests/support/places.h"
#include "tests/support/temp_dir.h"

namespace lockstep::test {

inline QString captureLibrary()
{
    return builtProgram("../lib/liblockstep_capture.so");
}

using Settings = std::vector<std::pair<QString, QString>>;

inline QProcessEnvironment captureEnvironment(const std::filesystem::path& output, const Settings& settings)
{
    QProcessEnvironment environment;
    environment.insert("LC_ALL", "C");
    environment.insert("PATH", qEnvironmentVariable("PATH"));
    environment.insert("NVTX_INJECTION64_PATH", captureLibrary());
    environment.insert("CUDA_INJECTION64_PATH", captureLibrary());
    environment.insert("LOCKSTEP_OUTPUT", QString::fromStdString(output.string()));
    for (const auto& [name, value] : settings)
        environment.insert(name, value);
    return environment;
}

struct CapturedRun {
    int status = -1; // -1 when it did not end by itself
    QByteArray output, errors;
    std::string log;                                    // of the library
    std::vector<std::shared_ptr<const Report>> reports; // by file name
    std::vector<std::string> names;                     // of the report files
    uint64_t size_bytes = 0;                            // total of all reports
    std::string problem;                                // first report that could not be read
};

inline void readReports(CapturedRun& run, const std::filesystem::path& output)
{
    std::vector<std::filesystem::path> files;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(output, none)) {
        if (entry.path().extension() == ".lsc") files.push_back(entry.path());
    }
    std::ranges::sort(files);
    for (const auto& file : files) {
        auto report = readReport(file, Progress());
        run.names.push_back(file.filename().string());
        run.size_bytes += std::filesystem::file_size(file);
        if (report)
            run.reports.push_back(std::move(*report));
        else
            run.problem = report.error().message;
    }
    run.log = contentOf(output / "lockstep_capture.log");
}

inline CapturedRun runCaptured(const QString& program, const QStringList& arguments,
                               const std::filesystem::path& output, const Settings& settings = {})
{
    QProcess process;
    process.setProcessEnvironment(captureEnvironment(output, settings));
    process.start(program, arguments);
    CapturedRun run;
    if (process.waitForFinished(kPatience_ms) && process.exitStatus() == QProcess::NormalExit)
        run.status = process.exitCode();
    run.output = process.readAllStandardOutput();
    run.errors = process.readAllStandardError();
    readReports(run, output);
    return run;
}

// Returns the NVTX rows of a report in the format that the test programs log: thread, domain, depth, name.
inline std::vector<std::string> rangeLines(const Report& report)
{
    std::vector<std::string> lines;
    for (const Track& track : report.tracks) {
        if (track.key.kind != TrackKind::nvtx) continue;
        std::vector<uint32_t> rows;
        for (uint32_t i = 0; i < track.sliceCount; ++i)
            rows.push_back(track.firstSlice.value + i);
        std::ranges::sort(rows, {}, [&](uint32_t row) { return report.slices.source[row]; });
        std::vector<int64_t> ends; // ends of the enclosing push/pop ranges
        for (const uint32_t row : rows) {
            const RowKind kind = report.slices.kind[row];
            std::string depth = kind == RowKind::nvtxMark ? "mark" : "se";
            if (kind == RowKind::nvtxPushPop) {
                const int64_t start = report.slices.start_ns[row];
                while (!ends.empty() && ends.back() <= start)
                    ends.pop_back();
                depth = std::to_string(ends.size());
                ends.push_back(start + report.slices.duration_ns[row]);
            }
            lines.push_back(std::to_string(report.threads[track.key.thread.value].tid) + "\t" +
                            std::string(report.strings.at(track.name)) + "\t" + depth + "\t" +
                            std::string(report.nameOf(SliceId{row})));
        }
    }
    return lines;
}

inline std::vector<std::string> linesOf(const std::string& text)
{
    std::vector<std::string> lines;
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find('\n', at), text.size());
        lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}

inline uint64_t countOf(const Report& report, std::string_view kind)
{
    for (const auto& [name, count] : report.rowCounts) {
        if (name == kind) return count;
    }
    return 0;
}

inline uint64_t noted(const Report& report, std::string_view kind)
{
    for (const ImportNote& note : report.notes.all()) {
        if (note.kind == kind) return note.count;
    }
    return 0;
}

inline std::string factOf(const Report& report, std::string_view name)
{
    for (const auto& [fact, value] : report.facts) {
        if (fact == name) return value;
    }
    return {};
}

} // namespace lockstep::test
