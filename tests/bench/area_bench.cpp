// SPDX-License-Identifier: Apache-2.0
// Measures an area selection over all lanes of 10^7 slices (streams of eight ranks that run at the same time,
// 200 names): sums by name and by lane, and a flame graph. The baseline is one plain pass over the same
// columns on one thread, in the same run. Prints wall time and the CPU time of all threads, which other
// programs affect less. Arguments: [--smoke] [slices].
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

#include "core/analysis/area_aggregate.h"
#include "core/analysis/area_flame.h"
#include "core/trace/report_builder.h"
#include "tests/bench/bench.h"
#include "tests/support/workers.h"

namespace lockstep::area_bench {

namespace {

constexpr int kRanks = 8;
constexpr int kKernelNames = 200;
constexpr int64_t kEvery_ns = 2'000;
constexpr int kTries = 5;

struct Took {
    double clock_ms = 1e300, processors_ms = 1e300;
};

Took bestOf(const auto& work)
{
    Took best;
    for (int i = 0; i < kTries; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        const std::clock_t used = std::clock();
        work();
        const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
        best.clock_ms = std::min(best.clock_ms, took.count());
        best.processors_ms =
            std::min(best.processors_ms, 1e3 * static_cast<double>(std::clock() - used) / CLOCKS_PER_SEC);
    }
    return best;
}

void print(const std::string& what, const Took& took, const Took& bare)
{
    std::printf("%-13s %7.1f ms, %7.1f of processors: %5.1f and %5.1f of the bare pass\n", what.c_str(),
                took.clock_ms, took.processors_ms, took.clock_ms / bare.clock_ms,
                took.processors_ms / bare.processors_ms);
}

// Every sixteenth row is a range around eight API calls, each of which launches a kernel.
std::shared_ptr<const Report> madeRankReport(int rank, uint64_t slices)
{
    ReportBuilder builder;
    SliceBatch batch;
    builder.report().identity.rank = {rank, "made", Confidence::stated};
    const ProcessId process = builder.process(1, 1);
    const ThreadId thread = builder.thread(process, 1);
    const TrackId gpu = builder.track({TrackKind::gpuStream, process, {}, builder.device(process, 0), 7, 1});
    const TrackId calls = builder.track({TrackKind::cudaApi, process, thread, {}, 0, 0});
    const TrackId ranges = builder.track({TrackKind::nvtx, process, thread, {}, 0, 0});
    uint64_t rows = 0;
    const auto add = [&](TrackId track, RowKind kind, const std::string& name, int64_t start_ns,
                         int64_t duration_ns, uint32_t correlation) {
        SliceRow row;
        row.start_ns = start_ns;
        row.duration_ns = duration_ns;
        row.name = builder.intern(name);
        row.kind = kind;
        row.category = kind == RowKind::kernel ? SliceCategory::compute : SliceCategory::nvtx;
        row.correlation = correlation;
        row.source = SourceRow::of(0, ++rows);
        batch.add(track, row);
    };
    for (uint64_t i = 0; i < slices * 8 / 17; ++i) {
        const int64_t at = int64_t(i) * kEvery_ns + rank * 37;
        const auto correlation = static_cast<uint32_t>(i + 1);
        if (i % 8 == 0)
            add(ranges, RowKind::nvtxPushPop, "layer " + std::to_string(i / 8 % 96), at - 1'200,
                8 * kEvery_ns - 300, kNoCorrelation);
        add(calls, RowKind::runtimeApi, "cudaLaunchKernel", at - 1'000, int64_t(300 + i % 400), correlation);
        add(gpu, RowKind::kernel, "kernel_" + std::to_string(i * 31 % kKernelNames), at,
            int64_t(200 + i * 7919 % 1'500), correlation);
    }
    builder.adopt(std::move(batch));
    return builder.freeze(Progress(test::workers())).value();
}

AreaQuery everythingOf(const Scene& scene)
{
    AreaQuery request;
    Area area{scene.extent(), {}};
    for (const Lane& lane : scene.tree->lanes())
        area.lanes.push_back({lane.key, false});
    request.areas = {area};
    return request;
}

// The columns that a sum by name reads.
uint64_t barePass(const Scene& scene)
{
    uint64_t sum = 0;
    for (const ReportKey key : scene.shown.keys()) {
        const SliceTable& slices = scene.shown.report(key).slices;
        for (size_t i = 0; i < slices.size(); ++i)
            sum += static_cast<uint64_t>(slices.start_ns[i] + slices.duration_ns[i]) + slices.name[i].value;
    }
    return sum;
}

int bench(int argc, char** argv)
{
    uint64_t count = 10'000'000;
    for (int i = 1; i < argc; ++i)
        count = std::strcmp(argv[i], "--smoke") == 0 ? 20'000 : std::strtoull(argv[i], nullptr, 10);
    Workspace workspace;
    for (int rank = 0; rank < kRanks; ++rank)
        workspace.add(madeRankReport(rank, count / kRanks));
    const ScenePtr scene = makeScene(workspace, alignReports(workspace, {}), test::workers());
    const AreaQuery request = everythingOf(*scene);
    volatile uint64_t sink = 0;
    const Took bare = bestOf([&] { sink = barePass(*scene); });
    std::printf("%llu slices, %zu workers; bare pass %.1f ms\n", static_cast<unsigned long long>(count),
                test::workers().count(), bare.clock_ms);
    bool isGood = true;
    for (const AreaGroup by : {AreaGroup::name, AreaGroup::lane}) {
        Result<AreaAggregate> made;
        const Took took =
            bestOf([&] { made = aggregateArea(*scene, request, by, Progress(test::workers())); });
        isGood = isGood && made && made->total.count > count * 9 / 10;
        print("by " + std::string(areaGroupName(by)), took, bare);
    }
    for (const FlameBy by : {FlameBy::ranges, FlameBy::stack}) {
        Result<AreaFlame> made;
        const Took took =
            bestOf([&] { made = areaFlame(*scene, request, by, false, Progress(test::workers())); });
        isGood = isGood && made && made->frames.size() > 90;
        print(by == FlameBy::ranges ? "flame, ranges" : "flame, stack", took, bare);
    }
    return isGood ? 0 : 1;
}

const test::Bench kBench("area_bench", bench);

} // namespace

} // namespace lockstep::area_bench
