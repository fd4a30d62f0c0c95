// SPDX-License-Identifier: Apache-2.0
// Measures layOut() of 100 lanes at 3840 px over 10^6 and 10^7 slices: the time should depend on the screen,
// not on the trace. Prints milliseconds, the ratio between the two, the cost of a hidden name, bytes per
// slice and the build time of the levels of detail. --smoke: 10^4 and 10^5.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <set>
#include <string>

#include "core/search/hidden_names.h"
#include "core/timeline/layout.h"
#include "tests/bench/bench.h"
#include "tests/support/made_reports.h"
#include "tests/support/workers.h"

namespace lockstep::layout_bench {

namespace {

constexpr int kLanes = 100;
constexpr int64_t kLength_ns = 10'000'000'000;

double msSince(std::chrono::steady_clock::time_point begin)
{
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

struct Measured {
    double best_ms = 1e9;
    double median_ms = 0;
    double cpu_ms = 0; // of all workers, mean per frame; less affected by other programs
};

Measured measure(const ScenePtr& made, int runs, const std::set<std::string>& hidden = {})
{
    LaneState state;
    for (const Lane& lane : made->tree->lanes())
        state.collapsed[lane.key] = false;
    const LaneFlow flow =
        placeLanes(*made, state, std::vector<bool>(made->tree->size(), true), FrameMetrics::at(1));
    const LabelFont font = LabelFont::fixed(7);
    FrameView view;
    view.flow = &flow;
    view.font = &font;
    view.workers = test::machineWorkers();
    view.headerWidth = 0;
    view.size = {3840, kLanes * 21};
    view.scroll = 42; // process and GPU lanes
    view.hidden = HiddenNames::make(*made, hidden);
    DisplayList list;
    std::vector<double> times;
    const std::clock_t cpuBegin = std::clock();
    for (int run = 0; run < runs; ++run) {
        const int64_t shift = run * 1'000'003;
        view.visible = {{shift}, {kLength_ns + shift}};
        const auto begin = std::chrono::steady_clock::now();
        list = layOut(*made, view, std::move(list));
        times.push_back(msSince(begin));
    }
    if (list.rows.size() != kLanes) std::printf("  only %zu rows laid out\n", list.rows.size());
    std::ranges::sort(times);
    const double cpu_ms = 1e3 * static_cast<double>(std::clock() - cpuBegin) / CLOCKS_PER_SEC / runs;
    return {times.front(), times[times.size() / 2], cpu_ms};
}

int bench(int argc, char** argv)
{
    const bool isSmoke = argc > 1 && std::strcmp(argv[1], "--smoke") == 0;
    double base_ms = 0;
    const std::array<uint32_t, 2> sizes{isSmoke ? 100u : 10'000u, isSmoke ? 1'000u : 100'000u};
    for (const uint32_t perLane : sizes) {
        const auto report = test::denseReport(kLanes, perLane, kLength_ns, 1);
        const auto begin = std::chrono::steady_clock::now();
        const auto lod = buildLod(*report, test::machineWorkers());
        const double build_ms = msSince(begin);
        const auto coverBegin = std::chrono::steady_clock::now();
        const size_t stretches = findCoveredTime(*report).stretches.size();
        std::printf("covered time of %u slices: %.1f ms, %zu stretches\n", kLanes * perLane,
                    msSince(coverBegin), stretches);
        const auto slices = static_cast<double>(report->slices.size());
        Workspace workspace;
        workspace.add(report);
        const ScenePtr made = test::madeScene(workspace);
        const Measured layout = measure(made, isSmoke ? 3 : 40);
        std::printf("%.0f slices: layOut median %.2f ms, best %.2f ms, CPU %.2f ms\n", slices,
                    layout.median_ms, layout.best_ms, layout.cpu_ms);
        std::printf("  LOD %.1f B a slice (store and LOD %.1f), built in %.0f ms\n",
                    static_cast<double>(lod->residentBytes()) / slices,
                    static_cast<double>(lod->residentBytes() + report->residentBytes()) / slices, build_ms);
        const Measured hidden =
            measure(made, isSmoke ? 3 : 10, {std::string(report->nameOf(SliceId(size_t(0))))});
        std::printf("  with a hidden name: median %.2f ms, %.1f times that\n", hidden.median_ms,
                    hidden.median_ms / layout.median_ms);
        if (base_ms > 0) std::printf("ratio of the medians: %.2f\n", layout.median_ms / base_ms);
        base_ms = layout.median_ms;
    }
    return 0;
}

const test::Bench kBench("layout_bench", bench);

} // namespace

} // namespace lockstep::layout_bench
