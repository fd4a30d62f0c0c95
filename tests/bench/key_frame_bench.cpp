// SPDX-License-Identifier: Apache-2.0
// Measures the time from a key press to the first complete frame of a window of 3840x2160 that shows the
// traces of eight ranks with 960,000 slices and the details of one: zooming, panning, selecting a slice and
// selecting a lane. --smoke: two ranks with 4,800 slices.
//
// The window animates zooming and panning; only the first frame is measured. Its end is the handling of the
// window's UpdateRequest, in which Qt paints all dirty widgets and shows the result.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <random>

#include <QApplication>
#include <QDeadlineTimer>
#include <QTest>

#include "tests/bench/bench.h"
#include "tests/support/in_window.h"
#include "ui/timeline/timeline_canvas.h"
#include "ui/timeline/timeline_view.h"
#include "ui/window/view_state.h"

namespace lockstep::key_frame_bench {

namespace {

constexpr int kStreams = 6, kThreads = 6;

// Returns a Kineto trace: kernels on each stream, and operators with two nested ones on each thread.
std::string rankTrace(int rank, int perTrack)
{
    std::mt19937 random(static_cast<unsigned>(rank));
    const std::array kernels{"ncclDevKernel_AllReduce_Sum_f16_RING_LL", "elementwise_kernel",
                             "ampere_bf16_s16816gemm_bf16_128x128", "flash_fwd_kernel"};
    const std::array operators{"aten::linear", "aten::mm", "cudaLaunchKernel", "layer_norm"};
    std::string events;
    const auto add = [&](const char* kind, const char* name, int track, double begin_us, double length_us) {
        const bool isKernel = track < kStreams;
        std::array<char, 300> text{};
        std::snprintf(text.data(), text.size(),
                      R"(%s{"ph":"X","cat":"%s","name":"%s","pid":%d,"tid":%d,"ts":%.3f,"dur":%.3f%s})",
                      events.empty() ? "" : ",", kind, name, isKernel ? 0 : 100, track, begin_us, length_us,
                      isKernel ? R"(,"args":{"device":0})" : "");
        events += text.data();
    };
    for (int track = 0; track < kStreams + kThreads; ++track) {
        double at_us = 0;
        for (int i = 0; i < perTrack; ++i) {
            const double length_us = 3 + static_cast<double>(random() % 90);
            at_us += static_cast<double>(random() % 20);
            if (track < kStreams) {
                add("kernel", kernels[random() % kernels.size()], track, at_us, length_us);
            } else {
                for (int depth = 0; depth < 3; ++depth)
                    add("cpu_op", operators[random() % operators.size()], track,
                        at_us + length_us * 0.1 * depth, length_us * (1 - 0.2 * depth));
            }
            at_us += length_us;
        }
    }
    return R"({"schemaVersion":1,"baseTimeNanoseconds":1700000000000000000,"distributedInfo":{"rank":)" +
           std::to_string(rank) + R"(},"deviceProperties":[{"id":0,"name":"GPU"}],"traceEvents":[)" + events +
           "]}";
}

// Counts the frames of a window.
class FrameCount : public QObject {
  public:
    explicit FrameCount(QWidget& window) : m_window(window) { window.installEventFilter(this); }
    int frames() const { return m_frames; }

  protected:
    // Handles the request itself, so that the frame is complete when it is counted.
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (watched != &m_window || event->type() != QEvent::UpdateRequest || m_isHandling) return false;
        m_isHandling = true;
        QApplication::sendEvent(watched, event);
        m_isHandling = false;
        ++m_frames;
        return true;
    }

  private:
    QWidget& m_window;
    int m_frames = 0;
    bool m_isHandling = false;
};

void settle(const MainWindow& window)
{
    do {
        QTest::qWait(50);
    } while (!window.isSettled());
    QTest::qWait(400); // the end of animations
}

// Clicks on the canvas until a slice is selected.
void selectSlice(MainWindow& window)
{
    auto& canvas = test::part<TimelineCanvas>(window);
    for (int y = 60; y < canvas.height() && !test::part<ViewState>(window).slice().isValid(); y += 7)
        QTest::mouseClick(&canvas, Qt::LeftButton, {}, {canvas.width() / 2, y});
}

void measure(MainWindow& window, FrameCount& count, Qt::Key key, const char* what, int runs)
{
    auto& view = test::part<TimelineView>(window);
    view.setFocus();
    std::vector<double> times_ms;
    for (int run = 0; run < runs; ++run) {
        const int before = count.frames();
        const auto begin = std::chrono::steady_clock::now();
        QTest::keyPress(&view, key);
        const QDeadlineTimer limit(10'000);
        while (count.frames() == before) {
            if (limit.hasExpired()) qFatal("the key for '%s' changes nothing", what);
            QApplication::processEvents(QEventLoop::WaitForMoreEvents, 5);
        }
        times_ms.push_back(
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
        QTest::keyRelease(&view, key);
        settle(window);
    }
    std::ranges::sort(times_ms);
    std::printf("  %s: first frame median %.1f ms, worst %.1f ms\n", what, times_ms[times_ms.size() / 2],
                times_ms.back());
}

int bench(int argc, char** argv)
{
    const bool isSmoke = argc > 1 && std::strcmp(argv[1], "--smoke") == 0;
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    const test::TempDir folder;
    Settings settings(test::settingsFile(folder));
    const auto window = test::shownWindow(settings, {.size = {3840, 2160}});
    std::vector<std::filesystem::path> files;
    for (int rank = 0; rank < (isSmoke ? 2 : 8); ++rank)
        files.push_back(
            folder.write("rank" + std::to_string(rank) + ".json", rankTrace(rank, isSmoke ? 100 : 5'000)));
    window->open(files);
    settle(*window);
    selectSlice(*window);
    settle(*window);
    FrameCount count(*window);
    const int runs = isSmoke ? 2 : 15;
    std::printf("%zu ranks\n", files.size());
    measure(*window, count, Qt::Key_W, "zoom in", runs);
    measure(*window, count, Qt::Key_D, "pan right", runs);
    measure(*window, count, Qt::Key_A, "pan left", runs);
    measure(*window, count, Qt::Key_S, "zoom out", runs);
    measure(*window, count, Qt::Key_Period, "select the next slice", runs);
    measure(*window, count, Qt::Key_Down, "select the lane below", runs);
    return 0;
}

const test::Bench kBench("key_frame_bench", bench);

} // namespace

} // namespace lockstep::key_frame_bench
