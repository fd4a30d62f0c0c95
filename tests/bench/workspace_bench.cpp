// SPDX-License-Identifier: Apache-2.0
// Reopening a workspace of 10^7 slices against reading the same slices from Chrome JSON, both measured in
// this run.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#include "core/readers/workspace_file/workspace_file.h"
#include "core/trace/report_builder.h"
#include "tests/support/temp_dir.h"
#include "tests/support/workers.h"

using namespace lockstep;

namespace {

constexpr int kTracks = 16;

double secondsOf(const auto& work)
{
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// The i-th slice: gaps and lengths that do not repeat, two levels deep, 2000 names.
SliceRow slice(size_t i)
{
    uint64_t mixed = (i + 1) * 0x9E3779B97F4A7C15ull;
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9ull;
    const auto noise = static_cast<int64_t>((mixed ^ mixed >> 27) & 1023);
    SliceRow row;
    row.start_ns = static_cast<int64_t>(i / kTracks) * 4000 + noise;
    row.duration_ns = i % 3 == 0 ? 9000 + noise : 1500 + noise;
    row.source = SourceRow::of(0, i * 120);
    row.kind = i % 4 == 0 ? RowKind::runtimeApi : RowKind::kernel;
    row.correlation = i % 4 < 2 ? static_cast<uint32_t>(i / 4) : kNoCorrelation;
    return row;
}

std::string nameOf(size_t i)
{
    return "kernel_with_a_name_of_usual_length_" + std::to_string(i * 7919 % 2000);
}

std::shared_ptr<const Report> makeReport(size_t count)
{
    ReportBuilder builder;
    const ProcessId process = builder.process(1, 1);
    std::vector<TrackId> tracks;
    for (int t = 0; t < kTracks; ++t) {
        tracks.push_back(builder.track({TrackKind::ops, process, builder.thread(process, t), {}, 0, 0}));
    }
    SliceBatch batch;
    for (size_t i = 0; i < count; ++i) {
        SliceRow row = slice(i);
        row.name = builder.intern(nameOf(i));
        batch.add(tracks[i % kTracks], row);
    }
    builder.adopt(std::move(batch));
    return builder.freeze(Progress(test::machineWorkers())).value();
}

void writeJson(const std::filesystem::path& path, size_t count)
{
    std::ofstream out(path, std::ios::binary);
    out << "{\"schemaVersion\": 1, \"traceEvents\": [\n";
    char line[320];
    for (size_t i = 0; i < count; ++i) {
        const SliceRow row = slice(i);
        std::snprintf(
            line, sizeof line,
            "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"%s\", \"pid\": 1, \"tid\": %zu, \"ts\": %lld.%03lld, "
            "\"dur\": %lld.%03lld, \"args\": {\"External id\": %zu, \"Record function id\": 0}}%s\n",
            nameOf(i).c_str(), i % kTracks, static_cast<long long>(row.start_ns / 1000),
            static_cast<long long>(row.start_ns % 1000), static_cast<long long>(row.duration_ns / 1000),
            static_cast<long long>(row.duration_ns % 1000), i, i + 1 == count ? "" : ",");
        out << line;
    }
    out << "]}\n";
}

} // namespace

int main(int argc, char** argv)
{
    const bool isSmoke = argc > 1 && std::strcmp(argv[1], "--smoke") == 0;
    const size_t count = isSmoke ? 20'000 : 10'000'000;
    const test::TempDir folder;
    const auto path = folder.path() / "bench.lockstep";
    bool isGood = true;
    size_t links = 0;
    {
        Workspace workspace;
        workspace.add(makeReport(count));
        links = workspace.report(ReportKey(0u)).links.size();
        const double save = secondsOf([&] {
            isGood = saveWorkspaceFile(path, workspace, {}, Progress(test::machineWorkers())).has_value();
        });
        std::printf("save    %9zu slices, %zu links: %.2f s, %.1f bytes a slice\n", count, links, save,
                    double(std::filesystem::file_size(path)) / double(count));
    }
    size_t rows = 0;
    const double open = secondsOf([&] {
        const auto contents = openWorkspaceFile(path, Progress(test::machineWorkers()));
        if (contents) rows = contents->workspace.report(ReportKey(0u)).slices.size();
    });
    isGood &= rows == count;
    std::printf("reopen  %9zu slices: %.2f s\n", rows, open);
    const auto jsonPath = folder.path() / "bench.json";
    writeJson(jsonPath, count);
    size_t jsonRows = 0;
    const double json = secondsOf([&] {
        const auto report = readReport(jsonPath, Progress(test::machineWorkers()));
        if (report) jsonRows = (*report)->slices.size();
    });
    if (jsonRows == count) {
        std::printf("json    %9zu slices, %.2f GB: %.2f s; reopening is %.1f times faster\n", jsonRows,
                    double(std::filesystem::file_size(jsonPath)) / 1e9, json, json / open);
    } else {
        std::printf("json    not compared: this build reads %zu of the slices\n", jsonRows);
    }
    return isGood ? 0 : 1;
}
