// SPDX-License-Identifier: Apache-2.0
// Measures reopening a workspace of 10^7 slices, compressed and uncompressed, relative to reading the same
// slices from Chrome JSON and to `cat` of the file, all in this run. The best of several rounds counts, with
// the files in the page cache.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "core/readers/workspace_file/workspace_file.h"
#include "core/trace/report_builder.h"
#include "tests/bench/bench.h"
#include "tests/support/temp_dir.h"
#include "tests/support/workers.h"

namespace lockstep::workspace_bench {

namespace {

constexpr int kTracks = 16;

double secondsOf(const auto& work)
{
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Makes slice number i: gaps and lengths that do not repeat, two levels deep, 2000 names.
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

struct Saved {
    const char* name;
    StoredColumns columns;
    double open_s = 1e9;
};

bool save(const std::filesystem::path& path, const Saved& as, size_t count)
{
    Workspace workspace;
    workspace.add(makeReport(count));
    bool isSaved = false;
    const double seconds = secondsOf([&] {
        isSaved =
            saveWorkspaceFile(path, workspace, {}, Progress(test::machineWorkers()), as.columns).has_value();
    });
    std::printf("save %s: %.2f s, %.1f bytes a slice\n", as.name, seconds,
                double(std::filesystem::file_size(path)) / double(count));
    return isSaved;
}

bool reopen(const std::filesystem::path& path, Saved& as, size_t count)
{
    size_t rows = 0;
    double cat_s = 1e9;
    const std::string cat = "cat '" + path.string() + "' > /dev/null";
    for (int round = 0; round < 5; ++round) {
        as.open_s = std::min(as.open_s, secondsOf([&] {
                                 const auto contents =
                                     openWorkspaceFile(path, Progress(test::machineWorkers()));
                                 if (contents) rows = contents->workspace.report(ReportKey(0u)).slices.size();
                             }));
        cat_s = std::min(cat_s, secondsOf([&] { rows *= std::system(cat.c_str()) == 0 ? 1 : 0; }));
    }
    std::printf("reopen %s, %zu slices: %.3f s; cat of the file: %.3f s\n", as.name, rows, as.open_s, cat_s);
    return rows == count;
}

int bench(int argc, char** argv)
{
    const bool isSmoke = argc > 1 && std::strcmp(argv[1], "--smoke") == 0;
    const size_t count = isSmoke ? 20'000 : 10'000'000;
    const test::TempDir folder;
    const auto path = folder.path() / "bench.lockstep";
    bool isGood = true;
    std::array<Saved, 2> both{{{"packed", StoredColumns::packed}, {"raw", StoredColumns::raw}}};
    for (Saved& as : both)
        isGood &= save(path, as, count) && reopen(path, as, count);
    const auto jsonPath = folder.path() / "bench.json";
    writeJson(jsonPath, count);
    size_t jsonRows = 0;
    const double json = secondsOf([&] {
        const auto report = readReport(jsonPath, Progress(test::machineWorkers()));
        if (report) jsonRows = (*report)->slices.size();
    });
    std::printf("json, %zu slices, %.2f GB: %.2f s; reopening is %.1f (packed) and %.1f (raw) times faster\n",
                jsonRows, double(std::filesystem::file_size(jsonPath)) / 1e9, json, json / both[0].open_s,
                json / both[1].open_s);
    return isGood && jsonRows == count ? 0 : 1;
}

const test::Bench kBench("workspace_bench", bench);

} // namespace

} // namespace lockstep::workspace_bench
