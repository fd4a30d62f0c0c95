// SPDX-License-Identifier: Apache-2.0
// Measures a whole frame at 3840x2160: layOut() and painting into an image, over 10^6 and 10^7 slices in 100
// lanes. Measured with everything in view, and zoomed in so that every row is full of labeled boxes. --smoke:
// 10^4 and 10^5 slices.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>

#include <QApplication>

#include "core/timeline/layout.h"
#include "tests/bench/bench.h"
#include "tests/support/made_reports.h"
#include "tests/support/workers.h"
#include "ui/timeline/lane_painter.h"
#include "ui/timeline/timeline_font.h"

namespace lockstep::frame_bench {

namespace {

constexpr int kLanes = 100;
constexpr int64_t kLength_ns = 10'000'000'000;

double msSince(std::chrono::steady_clock::time_point begin)
{
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

void measure(const ScenePtr& made, const char* what, int64_t length_ns, int runs)
{
    const LaneFlow flow =
        placeLanes(*made, {}, std::vector<bool>(made->tree->size(), true), FrameMetrics::at(1));
    const LanePainter painter(darkTheme(), 1, test::machineWorkers());
    const LabelFont font = labelFontOf(painter.font());
    const Scene& scene = *made;
    FrameView view;
    view.flow = &flow;
    view.font = &font;
    view.workers = test::machineWorkers();
    view.size = {3840, 2160};
    QImage image(3840, 2160, QImage::Format_RGB32);
    DisplayList list;
    std::array<std::vector<double>, 2> times; // layout, whole
    for (int run = 0; run < runs; ++run) {
        const int64_t begin_ns = run * 1'000'003;
        view.visible = {{begin_ns}, {begin_ns + length_ns}};
        const auto begin = std::chrono::steady_clock::now();
        list = layOut(scene, view, std::move(list));
        times[0].push_back(msSince(begin));
        painter.paint(image, list, *made->tree);
        times[1].push_back(msSince(begin));
    }
    for (auto& column : times)
        std::ranges::sort(column);
    const auto middle = static_cast<size_t>(runs / 2);
    std::printf("  %s: frame median %.2f ms, best %.2f ms (layOut %.2f, best %.2f)\n", what, times[1][middle],
                times[1][0], times[0][middle], times[0][0]);
}

int bench(int argc, char** argv)
{
    const bool isSmoke = argc > 1 && std::strcmp(argv[1], "--smoke") == 0;
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    const std::array<uint32_t, 2> sizes{isSmoke ? 100u : 10'000u, isSmoke ? 1'000u : 100'000u};
    for (const uint32_t perLane : sizes) {
        Workspace workspace;
        workspace.add(test::denseReport(kLanes, perLane, kLength_ns, 1));
        const ScenePtr made = test::madeScene(workspace);
        std::printf("%u slices\n", kLanes * perLane);
        measure(made, "all in view", kLength_ns, isSmoke ? 2 : 30);
        measure(made, "30 boxes a row", kLength_ns / perLane * 30, isSmoke ? 2 : 30);
    }
    return 0;
}

const test::Bench kBench("frame_bench", bench);

} // namespace

} // namespace lockstep::frame_bench
