// SPDX-License-Identifier: Apache-2.0
// Measures a whole frame at 3840x2160 with a memory lane of 10^6 entries under 10^6 slices in 100 lanes,
// relative to the same frame without the memory lane. Also measures the lane's row alone relative to the
// exact layout of the same history. --smoke: 10^4 entries.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>

#include <QApplication>

#include "core/lanes/memory_lanes.h"
#include "core/memory/memory_layout.h"
#include "core/timeline/layout.h"
#include "core/timeline/memory_pointing.h"
#include "tests/bench/bench.h"
#include "tests/support/made_reports.h"
#include "tests/support/training_history.h"
#include "tests/support/workers.h"
#include "ui/timeline/lane_painter.h"
#include "ui/timeline/timeline_font.h"

namespace lockstep::memory_frame_bench {

namespace {

constexpr int64_t kLength_ns = 10'000'000'000;

template<class Work>
double medianOf(int runs, Work work)
{
    std::vector<double> times;
    for (int run = 0; run < runs; ++run) {
        const auto begin = std::chrono::steady_clock::now();
        work(run);
        times.push_back(
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    }
    std::ranges::sort(times);
    return times[times.size() / 2];
}

std::shared_ptr<const Report> memoryReport(size_t entries)
{
    ReportBuilder builder;
    const ProcessId process = builder.process(1, 1);
    builder.device(process, 0);
    const auto snapshot = test::trainingHistory(entries);
    auto stretched = std::make_shared<MemorySnapshot>(*snapshot);
    const int64_t step_ns = kLength_ns / static_cast<int64_t>(stretched->entries.size());
    for (size_t row = 0; row < stretched->entries.size(); ++row)
        stretched->entries.time_ns[row] = static_cast<int64_t>(row) * step_ns;
    builder.report().memory = std::move(stretched);
    return builder.freeze(Progress()).value();
}

struct Frame {
    ScenePtr made;
    LaneFlow flow;
    LanePainter painter{darkTheme(), 1, test::machineWorkers()};
    LabelFont font = labelFontOf(painter.font());
    QImage image{3840, 2160, QImage::Format_RGB32};
    DisplayList list;

    explicit Frame(const ScenePtr& scene, MemoryLook look = MemoryLook::category) : made(scene)
    {
        LaneState state;
        state.memoryLook = look;
        for (const Lane& lane : scene->tree->lanes())
            state.fold(lane, false);
        // The memory lane is first, so that it is visible.
        for (const Lane& lane : scene->tree->lanes()) {
            if (lane.data.is<MemoryLaneData>()) state.pinned.insert(lane.key);
        }
        flow = placeLanes(*made, state, std::vector<bool>(made->tree->size(), true), FrameMetrics::at(1));
    }

    double median(int64_t length_ns, int runs, bool paints)
    {
        FrameView view;
        view.flow = &flow;
        view.font = &font;
        view.workers = test::machineWorkers();
        view.size = {3840, 2160};
        return medianOf(runs, [&](int run) {
            const int64_t begin_ns = run * 1'000'003;
            view.visible = {{begin_ns}, {begin_ns + length_ns}};
            list = layOut(*made, view, std::move(list));
            if (paints) painter.paint(image, list, *made->tree);
        });
    }
};

int bench(int argc, char** argv)
{
    const bool isSmoke = argc > 1 && std::strcmp(argv[1], "--smoke") == 0;
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    const int runs = isSmoke ? 2 : 30;
    const size_t entries = isSmoke ? 30'000 : 1'000'000;
    const auto dense = test::denseReport(100, isSmoke ? 100 : 10'000, kLength_ns, 1);
    const auto memory = memoryReport(entries);
    Workspace without, with, alone;
    without.add(dense);
    with.add(dense);
    with.add(memory);
    alone.add(memory);
    Frame bare(test::madeScene(without)), full(test::madeScene(with)), stacks(full.made, MemoryLook::stack),
        lane(test::madeScene(alone)), laneOfStacks(lane.made, MemoryLook::stack);
    for (const auto& [what, length_ns] :
         {std::pair("all in view", kLength_ns), std::pair("a hundredth", kLength_ns / 100)}) {
        const double before = bare.median(length_ns, runs, true), after = full.median(length_ns, runs, true);
        std::printf(
            "%s, 10^6 slices: frame %.2f ms, with a lane of %zu entries %.2f ms (by stack %.2f), %.2f "
            "times\n",
            what, before, entries, after, stacks.median(length_ns, runs, true), after / before);
        for (Frame* const of : {&lane, &laneOfStacks})
            std::printf("  the lane alone%s: layOut %.2f ms, with painting %.2f ms\n",
                        of == &lane ? "" : ", by stack", of->median(length_ns, runs, false),
                        of->median(length_ns, runs, true));
    }
    const MemoryPlace place = memoryPlaceOf(*lane.made, 2, ReportKey(0u)).value();
    MemoryLayoutRequest request;
    request.columns = columnsOfTime(place.device(), *place.report->memory, {{0}, {kLength_ns}}, 3580);
    request.by = MemoryGrouping::category;
    const double exact = medianOf(isSmoke ? 1 : 5, [&](int) {
        (void)layOutMemory(place.device(), request, place.memory->categories, Progress());
    });
    const double hover = medianOf(runs, [&](int run) {
        (void)largestBlock(place, static_cast<MemoryMoment>(entries / 2 + static_cast<size_t>(run)),
                           kMemoryGroups, MemoryLook::category);
    });
    std::printf(
        "exact layout of all of it: %.2f ms; levels of detail %.1f bytes an entry; the block under the "
        "cursor: %.2f ms\n",
        exact,
        static_cast<double>(place.levels().byCategory.residentBytes() +
                            place.levels().byStack.residentBytes()) /
            static_cast<double>(entries),
        hover);
    return 0;
}

const test::Bench kBench("memory_frame_bench", bench);

} // namespace

} // namespace lockstep::memory_frame_bench
