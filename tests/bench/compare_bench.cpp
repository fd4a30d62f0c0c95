// SPDX-License-Identifier: Apache-2.0
// Measures comparisons of slices: two steps of one run with 64 ranks and three steps, that run with itself
// (10^7 slices in all), and the strip between the panes. The baseline is one plain pass over the columns that
// are read, in the same run. One slice of every hundredth name is missing. Arguments: [--smoke] [slices].
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "core/compare/difference_strip.h"
#include "core/compare/slice_pairs.h"
#include "core/trace/process_groups.h"
#include "core/trace/report_builder.h"
#include "tests/bench/bench.h"
#include "tests/support/workers.h"

namespace lockstep::compare_bench {

namespace {

constexpr int kComparedRanks = 64, kComparedSteps = 3, kComparedNames = 200;
constexpr int64_t kComparedEvery_ns = 2'000;

double taken_ms(const auto& work)
{
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

std::shared_ptr<const Report> comparedRank(int rank, uint64_t slices)
{
    ReportBuilder builder;
    SliceBatch batch;
    builder.report().identity.rank = {rank, "made", Confidence::stated};
    builder.report().provenance.path = "made/rank" + std::to_string(rank) + ".json";
    const ProcessId process = builder.process(1, 1);
    const ThreadId thread = builder.thread(process, 1);
    const TrackId gpu = builder.track({TrackKind::gpuStream, process, {}, builder.device(process, 0), 7, 1});
    const TrackId ranges = builder.track({TrackKind::ops, process, thread, {}, 0, 0});
    uint64_t rows = 0;
    const auto add = [&](TrackId track, RowKind kind, const std::string& name, int64_t start_ns,
                         int64_t duration_ns) {
        SliceRow row;
        row.start_ns = start_ns;
        row.duration_ns = duration_ns;
        row.name = builder.intern(name);
        row.kind = kind;
        row.category = kind == RowKind::kernel ? SliceCategory::compute : SliceCategory::nvtx;
        row.source = SourceRow::of(0, ++rows);
        batch.add(track, row);
    };
    const auto perStep = static_cast<int64_t>(slices / kComparedSteps);
    for (int step = 0; step < kComparedSteps; ++step) {
        const int64_t begin = step * (perStep + 100) * kComparedEvery_ns;
        add(ranges, RowKind::userAnnotation, "step " + std::to_string(step + 1), begin,
            (perStep + 50) * kComparedEvery_ns);
        for (int64_t i = 0; i < perStep; ++i) {
            const auto name = static_cast<int>(i * 7 % kComparedNames);
            if (name % 100 == 0 && i == perStep / 2 / kComparedNames * kComparedNames && step == 1) continue;
            add(gpu, RowKind::kernel, "kernel_" + std::to_string(name),
                begin + i * kComparedEvery_ns + step * 100, 1'200 + name * step);
        }
    }
    builder.adopt(std::move(batch));
    return builder.freeze(Progress()).value();
}

uint64_t barePass(const Scene& scene)
{
    uint64_t sum = 0;
    for (const ReportKey key : scene.shown.keys()) {
        const Report& report = scene.shown.report(key);
        for (uint32_t row = 0; row < report.slices.size(); ++row)
            sum +=
                static_cast<uint64_t>(report.slices.start(SliceId(row)).ns) + report.slices.name[row].value;
    }
    return sum;
}

int bench(int argc, char** argv)
{
    uint64_t slices = 10'000'000;
    for (int i = 1; i < argc; ++i)
        slices = std::strcmp(argv[i], "--smoke") == 0 ? 100'000 : std::strtoull(argv[i], nullptr, 10);
    Workspace workspace;
    for (int rank = 0; rank < kComparedRanks; ++rank)
        workspace.add(comparedRank(rank, slices / kComparedRanks));
    completeIdentities(workspace);
    const ScenePtr scene = makeScene(workspace, alignReports(workspace, {}), test::workers());
    const Progress progress(test::workers());
    uint64_t sum = 0;
    const double bare = taken_ms([&] { sum = barePass(*scene); });
    Result<SlicePairs> pairs = SlicePairs();
    const double steps = taken_ms([&] { pairs = pairSlices({scene, 1}, {scene, 2}, progress); });
    if (!pairs || pairs->both == 0) return 1;
    std::printf("bare pass over %llu slices %.1f ms (%llu)\n", static_cast<unsigned long long>(slices), bare,
                static_cast<unsigned long long>(sum % 10));
    std::printf("two steps: %s\n  %.0f ms, %.1f x the bare pass\n", slicePairsText(*pairs).c_str(), steps,
                steps / bare);
    DifferenceStrip strip;
    const double strips =
        taken_ms([&] { strip = layOutDifference(*pairs, pairs->steps.front().rangeA, 1600); });
    std::printf("  strip of 1600 px over all of it: %.1f ms, %.2f x, %zu columns\n", strips, strips / bare,
                strip.columns.size());
    pairs = SlicePairs();
    const double runs = taken_ms([&] { pairs = pairSlices({scene, {}}, {scene, {}}, progress); });
    if (!pairs || pairs->changed != 0 || pairs->both != pairs->pairs.size()) return 1;
    std::printf("the run against itself: %s\n  %.0f ms, %.1f x the bare pass\n",
                slicePairsText(*pairs).c_str(), runs, runs / bare);
    return 0;
}

const test::Bench kBench("compare_bench", bench);

} // namespace

} // namespace lockstep::compare_bench
