// SPDX-License-Identifier: Apache-2.0
// Measures how the time to open reports in the window grows with their number, from 500 to 4,000 small
// reports of one rank each. The baseline is a headless load of the same files: read, resolve identities,
// align. Prints the time until the first lanes, the time until the window is settled, the longest time that
// the event loop was blocked meanwhile, the median of a zoom step and its frame afterwards, the memory, and
// the exponent of the growth. Arguments: [--smoke] [reports...].
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include <QApplication>
#include <QStandardPaths>
#include <QTest>
#include <QTimer>
#include <QWheelEvent>

#include <sys/wait.h>
#include <unistd.h>

#include "app/cli/report_loader.h"
#include "app/window/workspace_controller.h"
#include "core/align/alignment.h"
#include "tests/bench/bench.h"
#include "tests/support/in_window.h"
#include "tests/support/temp_dir.h"
#include "tests/support/workers.h"
#include "ui/timeline/timeline_canvas.h"
#include "ui/window/plurals.h"

namespace lockstep::window_scale_bench {

using Clock = std::chrono::steady_clock;

namespace {

constexpr int kSteps = 4, kKernels = 24; // per step

double secondsSince(Clock::time_point begin)
{
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Returns the trace of one rank: steps with kernels and one collective each.
std::string traceOf(int rank, int ranks)
{
    std::string text = "{\"distributedInfo\": {\"backend\": \"nccl\", \"rank\": " + std::to_string(rank) +
                       ", \"world_size\": " + std::to_string(ranks) + "}, \"traceEvents\": [\n";
    int64_t at_us = 1'700'000'000'000'000;
    const auto add = [&](const char* category, const std::string& name, int thread, int64_t begin_us,
                         int64_t length_us, const std::string& arguments) {
        text += R"({"ph":"X","cat":")" + std::string(category) + R"(","name":")" + name + R"(","pid":)" +
                std::to_string(thread == 7 ? 0 : 1'000 + rank) + R"(,"tid":)" + std::to_string(thread) +
                R"(,"ts":)" + std::to_string(begin_us) + R"(,"dur":)" + std::to_string(length_us) +
                R"(,"args":{)" + arguments + "}},\n";
    };
    for (int step = 0; step < kSteps; ++step) {
        const int64_t begin_us = at_us;
        for (int kernel = 0; kernel < kKernels; ++kernel) {
            add("cpu_op", "aten::mm", 1, at_us, 80, "");
            add("kernel", kernel % 2 == 0 ? "gemm_kernel" : "elementwise_kernel", 7, at_us + 10,
                70 + rank % 5, R"("device":0,"stream":7)");
            at_us += 100;
        }
        add("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 7, at_us, 90 - rank % 5,
            R"("device":0,"stream":7,"Collective name":"allreduce","Process Group Name":"0","Seq":)" +
                std::to_string(step) + R"(,"In msg nelems":1024,"Group size":)" + std::to_string(ranks));
        at_us += 100;
        add("user_annotation", "ProfilerStep#" + std::to_string(step), 1, begin_us, at_us - begin_us, "");
    }
    return text + "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":" + std::to_string(1'000 + rank) +
           ",\"args\":{\"name\":\"python\"}}]}\n";
}

std::filesystem::path writeReports(const test::TempDir& folder, int reports)
{
    const std::filesystem::path all = folder.path() / "reports";
    std::filesystem::create_directories(all);
    for (int rank = 0; rank < reports; ++rank)
        std::ofstream(all / ("rank" + std::to_string(rank) + ".json"), std::ios::binary)
            << traceOf(rank, reports);
    return all;
}

double headless_s(const std::filesystem::path& folder)
{
    const auto begin = Clock::now();
    const Progress progress(test::machineWorkers());
    const FoundReports found = findReports({folder}, progress).value();
    const LoadedInputs loaded = loadInputs(found, {}, test::memory(), progress).value();
    const Alignment alignment = alignReports(loaded.workspace, {}, progress).value();
    if (alignment.maps.isEmpty()) std::abort();
    return secondsSince(begin);
}

double peak_GB()
{
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
        uint64_t kib = 0;
        if (word == "VmHWM:" && status >> kib) return static_cast<double>(kib) / 1e6;
    }
    return 0;
}

struct Figures {
    double headless_s = 0, first_s = 0, settled_s = 0, blocked_s = 0, zoom_ms = 0, scroll_ms = 0, peak_GB = 0;
};

// Returns the median time of a wheel event over the lanes and of the frame that it causes.
double wheel_ms(TimelineCanvas& view, Qt::KeyboardModifiers modifiers)
{
    std::vector<double> times_ms;
    const QPointF at(view.width() / 2.0, view.height() / 2.0);
    for (int turn = 0; turn < 30; ++turn) {
        const auto begin = Clock::now();
        QWheelEvent event(at, view.mapToGlobal(at), {}, {0, turn % 10 < 5 ? 120 : -120}, Qt::NoButton,
                          modifiers, Qt::NoScrollPhase, false);
        QApplication::sendEvent(&view, &event);
        view.repaint();
        times_ms.push_back(secondsSince(begin) * 1e3);
        QTest::qWait(20);
    }
    std::ranges::nth_element(times_ms, times_ms.begin() + 15);
    return times_ms[15];
}

Figures measure(int reports)
{
    Figures figures;
    const test::TempDir folder;
    const std::filesystem::path files = writeReports(folder, reports);
    figures.headless_s = headless_s(files);
    Settings settings(test::settingsFile(folder));
    const auto window = test::shownWindow(
        settings, {.size = {1920, 1080}, .isMotionReduced = true, .pool = test::machineWorkers()});
    const WorkspaceController& workspace = test::part<WorkspaceController>(*window);
    const auto begin = Clock::now();
    std::vector<std::filesystem::path> paths; // a folder would ask which of its reports to open
    for (const auto& entry : std::filesystem::directory_iterator(files))
        paths.push_back(entry.path());
    QTimer tick; // ends the wait for an event; processEvents() with a time limit would keep a core busy
    tick.start(5);
    window->open(paths);
    for (auto last = begin; !window->isSettled() || workspace.scene()->shown.size() < size_t(reports);) {
        QApplication::processEvents(QEventLoop::WaitForMoreEvents);
        const auto now = Clock::now();
        figures.blocked_s = std::max(figures.blocked_s, std::chrono::duration<double>(now - last).count());
        last = now;
        if (figures.first_s == 0 && !workspace.scene()->shown.isEmpty())
            figures.first_s = secondsSince(begin);
    }
    figures.settled_s = secondsSince(begin);
    TimelineCanvas& view = test::part<TimelineCanvas>(test::part<TimelineView>(*window));
    figures.zoom_ms = wheel_ms(view, Qt::ControlModifier);
    figures.scroll_ms = wheel_ms(view, Qt::NoModifier);
    figures.peak_GB = peak_GB();
    return figures;
}

// Measures in a process of its own, so that the peak of the memory is that of these reports.
Figures measuredAlone(int reports)
{
    std::array<int, 2> ends = {};
    if (::pipe(ends.data()) != 0) std::abort();
    const pid_t child = ::fork();
    if (child == 0) {
        int argc = 1;
        char name[] = "window_scale_bench";
        char* argv[] = {name, nullptr};
        QApplication application(argc, argv);
        installPlurals();
        const Figures figures = measure(reports);
        ::_exit(::write(ends[1], &figures, sizeof figures) == sizeof figures ? 0 : 1);
    }
    ::close(ends[1]);
    Figures figures;
    if (::read(ends[0], &figures, sizeof figures) != sizeof figures) std::abort();
    ::close(ends[0]);
    ::waitpid(child, nullptr, 0);
    return figures;
}

int bench(int argc, char** argv)
{
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    QStandardPaths::setTestModeEnabled(true);
    std::vector<int> counts;
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--smoke") == 0)
            counts = {16, 64};
        else
            counts.push_back(std::atoi(argv[i]));
    }
    if (counts.empty()) counts = {500, 1'000, 2'000, 4'000};
    std::vector<Figures> all;
    for (const int reports : counts) {
        const Figures& f = all.emplace_back(measuredAlone(reports));
        std::printf(
            "%5d reports: headless %6.2f s; window: first lanes %5.2f s, settled %6.2f s (%.1f times headless), "
            "event loop blocked up to %.2f s, zoom %.1f ms, scroll %.1f ms, peak %.2f GB\n",
            reports, f.headless_s, f.first_s, f.settled_s, f.settled_s / f.headless_s, f.blocked_s, f.zoom_ms,
            f.scroll_ms, f.peak_GB);
        std::fflush(stdout);
    }
    const double growth = std::log(double(counts.back()) / counts.front());
    std::printf("exponent from %d to %d reports: headless %.2f, window %.2f\n", counts.front(), counts.back(),
                std::log(all.back().headless_s / all.front().headless_s) / growth,
                std::log(all.back().settled_s / all.front().settled_s) / growth);
    return 0;
}

const test::Bench kBench("window_scale_bench", bench);

} // namespace

} // namespace lockstep::window_scale_bench
