// SPDX-License-Identifier: Apache-2.0
// Measures the lane of 10^5 samples of a step alone, with about 20 spans each and some with a thousand:
// layOut and painting at 1280x720 and 3840x2160, while the time range moves and while it stays; the whole
// step in view, and a hundredth. --smoke: 2,000 samples.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>

#include <QApplication>

#include "core/lanes/sample_lanes.h"
#include "core/timeline/layout.h"
#include "tests/bench/bench.h"
#include "tests/support/made_reports.h"
#include "tests/support/sample_run.h"
#include "tests/support/workers.h"
#include "ui/timeline/lane_painter.h"
#include "ui/timeline/timeline_font.h"

namespace lockstep::sample_frame_bench {

namespace {

constexpr double kLength_s = 600;

// Samples that wait, then decode in short spans.
std::shared_ptr<const Report> benchSamples(int count, int spans)
{
    test::SampleRun run;
    for (int i = 0; i < count; ++i) {
        const double end = kLength_s * (0.2 + 0.8 * (i + 1) / count), wait = end * 0.1;
        std::vector<test::SampleRun::Part> parts{{SpanKind::queue, 0, wait},
                                                 {SpanKind::prefill, wait, wait * 1.2}};
        const double first = wait * 1.2, each = (end - first) / spans;
        for (int k = 0; k < spans; ++k) {
            const double begin = first + k * each;
            parts.push_back({SpanKind::decode, begin, begin + each * 0.9});
        }
        run.add(std::to_string(i), "R" + std::to_string(i % 8), 0, end, parts).step = 1;
    }
    return run.made();
}

struct SampleLaneFrame {
    ScenePtr made;
    LaneFlow flow;
    LanePainter painter{darkTheme(), 1, test::machineWorkers()};
    LabelFont font = labelFontOf(painter.font());
    DisplayList list;

    explicit SampleLaneFrame(const ScenePtr& scene) : made(scene)
    {
        std::vector<bool> shown;
        for (const Lane& lane : scene->tree->lanes())
            shown.push_back(lane.subject == LaneSubject::process || lane.data.is<SampleLaneData>());
        flow = placeLanes(*made, {}, shown, FrameMetrics::at(1));
    }

    double median(PixelSize size, int64_t length_ns, int runs, bool moves, bool paints)
    {
        QImage image(size.width, size.height, QImage::Format_RGB32);
        FrameView view;
        view.flow = &flow;
        view.font = &font;
        view.workers = test::machineWorkers();
        view.size = size;
        std::vector<double> times;
        for (int run = 0; run <= runs; ++run) {
            const int64_t begin_ns = moves ? run * 1'000'003 : 0;
            view.visible = {{begin_ns}, {begin_ns + length_ns}};
            const auto begin = std::chrono::steady_clock::now();
            list = layOut(*made, view, std::move(list));
            if (paints) painter.paint(image, list, *made->tree);
            const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - begin;
            if (run > 0) times.push_back(taken.count());
        }
        std::ranges::sort(times);
        return times[times.size() / 2];
    }
};

int bench(int argc, char** argv)
{
    const bool isSmoke = argc > 1 && std::strcmp(argv[1], "--smoke") == 0;
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    const int runs = isSmoke ? 2 : 30;
    const auto frameOf = [](int samples, int spans) {
        Workspace workspace;
        workspace.add(benchSamples(samples, spans));
        return std::make_unique<SampleLaneFrame>(test::madeScene(workspace));
    };
    const auto bare = frameOf(1, 10); // what a frame takes without the samples
    for (const auto& [samples, spans] : {std::pair(100'000, 10), std::pair(5'000, 600)}) {
        const auto frame = frameOf(isSmoke ? samples / 50 : samples, spans);
        for (const PixelSize size : {PixelSize{1280, 720}, PixelSize{3840, 2160}}) {
            for (const double part : {1.0, 0.01}) {
                const auto length_ns = static_cast<int64_t>(kLength_s * part * 1e9);
                std::printf("%d samples of %d spans, %dx%d, %g of the step: layOut %.2f ms, with painting "
                            "%.2f ms, without a new range %.2f ms; with one sample %.2f ms\n",
                            samples, spans, size.width, size.height, part,
                            frame->median(size, length_ns, runs, true, false),
                            frame->median(size, length_ns, runs, true, true),
                            frame->median(size, length_ns, runs, false, true),
                            bare->median(size, length_ns, runs, true, true));
            }
        }
    }
    return 0;
}

const test::Bench kBench("sample_frame_bench", bench);

} // namespace

} // namespace lockstep::sample_frame_bench
