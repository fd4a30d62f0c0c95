// SPDX-License-Identifier: Apache-2.0
// Measures buildLaneTree() for a run of 32 ranks, with few and with many steps per rank. The time per report
// should stay constant, and a frame should cost only what is on screen. Prints milliseconds and the ratio of
// the times per report. --smoke: 64 and 128 reports.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>

#include "core/timeline/layout.h"
#include "core/trace/process_groups.h"
#include "tests/bench/bench.h"
#include "tests/support/made_reports.h"
#include "tests/support/workers.h"

namespace lockstep::lane_tree_bench {

namespace {

constexpr int kRanks = 32;
constexpr int64_t kStepLength_ns = 25'000'000;

double msSince(std::chrono::steady_clock::time_point begin)
{
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

struct Measured {
    double settle_ms = 0;
    double tree_ms = 1e9;
    double frame_ms = 1e9;
    size_t lanes = 0;
};

// Makes the reports of every rank, repeated for each step, one after another on the axis.
Measured measure(const std::vector<std::shared_ptr<const Report>>& ranks, const ReportLods& rankLods,
                 size_t reports)
{
    Workspace workspace;
    Alignment alignment;
    ReportLods lods;
    for (size_t i = 0; i < reports; ++i) {
        const size_t rank = i % kRanks, step = i / kRanks;
        Identity stated;
        stated.step = {static_cast<int>(step), "made", Confidence::confirmed};
        const ReportKey key = workspace.add(ranks[rank], stated);
        ClockMap map;
        map.method = AlignMethod::wallclock;
        map.offset_ns = static_cast<int64_t>(step) * kStepLength_ns;
        alignment.maps.set(key, map);
        lods.set(key, rankLods[ReportKey(rank)]);
    }
    Measured out;
    const auto begin = std::chrono::steady_clock::now();
    completeIdentities(workspace);
    out.settle_ms = msSince(begin);
    LaneTree tree;
    for (int run = 0; run < 5; ++run) {
        const auto start = std::chrono::steady_clock::now();
        tree = buildLaneTree(workspace, alignment, lods, {LaneGrouping::none});
        out.tree_ms = std::min(out.tree_ms, msSince(start));
    }
    out.lanes = tree.size();
    LaneState state;
    for (const Lane& lane : tree.lanes())
        state.collapsed[lane.key] = false;
    const ScenePtr scene =
        makeScene(workspace, alignment, test::machineWorkers(), lods, {LaneGrouping::none});
    const LaneFlow flow =
        placeLanes(*scene, state, std::vector<bool>(tree.size(), true), FrameMetrics::at(1));
    const LabelFont font = LabelFont::fixed(7);
    FrameView view;
    view.flow = &flow;
    view.font = &font;
    view.workers = test::machineWorkers();
    view.size = {1'920, 1'080};
    view.visible = {{0}, {static_cast<int64_t>(reports / kRanks + 1) * kStepLength_ns}};
    for (int run = 0; run < 5; ++run) {
        const auto start = std::chrono::steady_clock::now();
        const DisplayList list = layOut(*scene, view);
        if (list.rows.empty()) std::abort();
        out.frame_ms = std::min(out.frame_ms, msSince(start));
    }
    return out;
}

int bench(int argc, char** argv)
{
    const bool isSmoke = argc > 1 && std::strcmp(argv[1], "--smoke") == 0;
    std::vector<std::shared_ptr<const Report>> ranks;
    ReportLods lods;
    for (int rank = 0; rank < kRanks; ++rank) {
        test::MadeRank made;
        made.rank = rank;
        made.host = "node" + std::to_string(rank);
        made.steps = 1;
        ranks.push_back(test::madeRank(made));
        lods.set(ReportKey(static_cast<size_t>(rank)), buildLod(*ranks.back(), test::machineWorkers()));
    }
    const size_t few = isSmoke ? 64 : 128, many = isSmoke ? 128 : 1'024;
    const Measured small = measure(ranks, lods, few), large = measure(ranks, lods, many);
    const auto print = [](size_t reports, const Measured& m) {
        std::printf("%zu reports: %zu lanes, settled in %.1f ms, tree in %.1f ms, frame in %.1f ms\n",
                    reports, m.lanes, m.settle_ms, m.tree_ms, m.frame_ms);
    };
    print(few, small);
    print(many, large);
    std::printf("a report of %zu takes %.2f times a report of %zu\n", many,
                large.tree_ms / static_cast<double>(many) / (small.tree_ms / static_cast<double>(few)), few);
    return 0;
}

const test::Bench kBench("lane_tree_bench", bench);

} // namespace

} // namespace lockstep::lane_tree_bench
