// SPDX-License-Identifier: Apache-2.0
// Measures a report larger than memory: rows, in the order in which a reader delivers them, become a report
// on disk under a memory limit, which is drawn, scrolled, summed up and opened again. Prints times, the peak
// resident memory relative to the limit, and the kernel table relative to one plain pass over the mapped
// columns that it needs. Arguments: [--smoke] [slices] [memory limit] [cache folder].
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "core/analysis/analysis.h"
#include "core/base/memory_budget.h"
#include "core/base/text.h"
#include "core/readers/workspace_file/workspace_file.h"
#include "core/timeline/layout.h"
#include "core/trace/report_builder.h"
#include "tests/bench/bench.h"
#include "tests/support/temp_dir.h"
#include "tests/support/workers.h"

namespace lockstep::spill_bench {

namespace {

constexpr size_t kDevices = 8, kStreams = 8, kThreads = 8;
constexpr int64_t kPeriod_ns = 2'000;

double secondsOf(const auto& work)
{
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Returns the peak resident size of this process.
uint64_t peakResident_bytes()
{
    std::ifstream status("/proc/self/status");
    std::string word;
    while (status >> word) {
        uint64_t kib = 0;
        if (word == "VmHWM:" && status >> kib) return kib << 10;
    }
    return 0;
}

void tell(const char* what, double seconds)
{
    std::printf("%-46s %8.2f s, resident peak so far %s\n", what, seconds,
                byteText(static_cast<int64_t>(peakResident_bytes())).c_str());
    std::fflush(stdout);
}

// Does the work of a reader's worker: API calls of one thread and the GPU work of one device, alternately.
void addRows(ReportBuilder& builder, size_t device, size_t slices, const ColumnPlace& place)
{
    const ProcessId process = builder.process(1, 1);
    const TrackId calls = builder.track(
        {TrackKind::cudaApi, process, builder.thread(process, static_cast<int64_t>(100 + device)), {}, 0, 0});
    std::vector<TrackId> streams;
    for (size_t stream = 0; stream < kStreams; ++stream)
        streams.push_back(builder.track({TrackKind::gpuStream,
                                         process,
                                         {},
                                         builder.device(process, static_cast<int>(device)),
                                         static_cast<int64_t>(stream),
                                         0}));
    std::vector<StringId> names;
    for (int name = 0; name < 500; ++name)
        names.push_back(builder.intern("void kernels::gemm_" + std::to_string(name) + "<float, 128>()"));
    const StringId launch = builder.intern("cudaLaunchKernel"), copy = builder.intern("Memcpy HtoD");
    SliceBatch batch(place.temporary());
    for (size_t i = 0; i < slices / 2; ++i) {
        SliceRow row;
        row.start_ns = static_cast<int64_t>(i) * kPeriod_ns;
        row.duration_ns = 700;
        row.source = SourceRow::of(static_cast<uint8_t>(device), 2 * i);
        row.name = launch;
        row.correlation = static_cast<uint32_t>(i * kDevices + device);
        row.kind = RowKind::runtimeApi;
        row.category = SliceCategory::cudaApi;
        batch.add(calls, row);
        const bool isCopy = i % 50 == 0;
        row.start_ns += 900;
        row.duration_ns = static_cast<int64_t>(500 + i * 7919 % 13'000);
        row.source = SourceRow::of(static_cast<uint8_t>(device), 2 * i + 1);
        row.name = isCopy ? copy : names[i * 7919 % names.size()];
        row.kind = isCopy ? RowKind::memcpy : RowKind::kernel;
        row.category = isCopy ? SliceCategory::copyToDevice : SliceCategory::compute;
        batch.add(streams[i % kStreams], row);
        if (isCopy) batch.addMemoryOp(row.source, MemoryOp{});
    }
    builder.adopt(std::move(batch));
}

std::shared_ptr<const Report> build(size_t slices, const Progress& progress)
{
    ReportBuilder builder;
    const double rows = secondsOf([&] {
        progress.workers().run(kDevices, [&](size_t device, size_t) {
            addRows(builder, device, slices / kDevices, progress.place());
        });
    });
    tell("rows brought", rows);
    Result<std::unique_ptr<Report>> report = makeError(ErrorKind::io, "");
    const double freeze = secondsOf([&] { report = builder.freeze(progress); });
    if (!report) {
        std::printf("not frozen: %s\n", report.error().message.c_str());
        std::exit(1);
    }
    tell("frozen", freeze);
    return *std::move(report);
}

void draw(const Workspace& workspace)
{
    ScenePtr scene;
    const Workers& workers = test::machineWorkers();
    const double made = secondsOf([&] {
        scene = makeScene(workspace, alignReports(workspace, {}, Progress(workers)).value(), workers);
    });
    tell("levels of detail and lanes", made);
    LaneState state;
    for (const Lane& lane : scene->tree->lanes())
        state.collapsed[lane.key] = false;
    const LaneFlow flow =
        placeLanes(*scene, state, std::vector<bool>(scene->tree->size(), true), FrameMetrics::at(1));
    const LabelFont font = LabelFont::fixed(7);
    FrameView view;
    view.flow = &flow;
    view.font = &font;
    view.workers = workers;
    view.headerWidth = 0;
    view.size = {3840, 2100};
    const TimeRange all = scene->extent();
    view.visible = all;
    DisplayList list;
    const double cold = secondsOf([&] { list = layOut(*scene, view, std::move(list)); });
    const double warm = secondsOf([&] { list = layOut(*scene, view, std::move(list)); });
    double worst = 0, sum = 0;
    constexpr int kFrames = 60;
    for (int frame = 0; frame < kFrames; ++frame) { // a section of the run, at a different position each time
        const int64_t length = all.length().ns >> (frame % 12);
        const int64_t begin = all.begin.ns + (all.length().ns - length) / kFrames * frame;
        view.visible = {{begin}, {begin + length}};
        const double frameTime = secondsOf([&] { list = layOut(*scene, view, std::move(list)); });
        worst = std::max(worst, frameTime);
        sum += frameTime;
    }
    std::printf("layOut of all, cold %.1f ms, warm %.1f ms; %d jumps: mean %.1f, worst %.1f ms\n", cold * 1e3,
                warm * 1e3, kFrames, sum / kFrames * 1e3, worst * 1e3);
    tell("drawn", cold + warm + sum);
}

void sumUp(const Workspace& workspace)
{
    const Report& report = workspace.report(workspace.keys().front());
    std::vector<int64_t> totals(report.strings.size());
    int64_t longest = 0;
    const double bare = secondsOf([&] {
        for (size_t row = 0; row < report.slices.size(); ++row) {
            if (report.slices.kind[row] == RowKind::kernel)
                totals[report.slices.name[row].value] += report.slices.duration_ns[row];
        }
        longest = *std::ranges::max_element(totals);
    });
    const Progress progress(test::machineWorkers());
    const ScenePtr scene = makeHeadlessScene(workspace, alignReports(workspace, {}, progress).value());
    size_t rows = 0;
    const double table = secondsOf([&] {
        const auto made = runAnalysis("cuda_gpu_kern_sum", *scene, {}, progress);
        rows = made ? made->rowCount() : 0;
        if (!made) std::printf("no table: %s\n", made.error().message.c_str());
    });
    std::printf("kernel table of %zu rows: %.2f s, %.1f times a bare pass (%.2f s)\n", rows, table,
                table / bare, bare);
    tell("summed up", table);
}

int bench(int argc, char** argv)
{
    const bool isSmoke = argc > 1 && std::strcmp(argv[1], "--smoke") == 0;
    const size_t slices = isSmoke ? 400'000 : argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 300'000'000;
    const auto limit_bytes = static_cast<uint64_t>(parseBytes(argc > 2  ? argv[2]
                                                              : isSmoke ? "64M"
                                                                        : "2G")
                                                       .value_or(1));
    const test::TempDir folder(argc > 3 ? argv[3] : "/var/tmp");
    const auto spills = std::make_shared<SpillFolder>(SpillFolder::Options{folder.path()});
    auto place = spills->place(slices * 45, limit_bytes);
    if (!place) {
        std::printf("no place: %s\n", place.error().message.c_str());
        return isSmoke ? 0 : 1; // where the folder for temporary files is in memory
    }
    const Progress progress({}, {}, test::machineWorkers(), *place);
    Workspace workspace;
    workspace.add(build(slices, progress));
    const uint64_t columns_bytes = place->persistent()->size_bytes();
    std::printf("%zu slices, columns of %s on disk, memory limit %s\n", slices,
                byteText(static_cast<int64_t>(columns_bytes)).c_str(),
                byteText(static_cast<int64_t>(limit_bytes)).c_str());
    const std::filesystem::path kept = folder.path() / "kept.lockstep";
    tell("kept for another opening", secondsOf([&] {
             if (!appendWorkspace(*place->persistent(), workspace, progress) ||
                 !place->persistent()->name(kept))
                 std::printf("not kept\n");
         }));
    draw(workspace);
    sumUp(workspace);
    tell("opened again, checked", secondsOf([&] {
             const auto again = openWorkspaceFile(kept, progress);
             std::printf("%zu slices again\n",
                         again ? again->workspace.report(again->workspace.keys().front()).slices.size() : 0);
         }));
    std::printf("resident peak %.2f of the limit\n",
                static_cast<double>(peakResident_bytes()) / static_cast<double>(limit_bytes));
    return 0;
}

const test::Bench kBench("spill_bench", bench);

} // namespace

} // namespace lockstep::spill_bench
