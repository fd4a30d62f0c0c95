// SPDX-License-Identifier: Apache-2.0
// Measures a live view of 4 and of 64 captures that grow: the time from a record to its pixel, the time of a
// frame, and the processor time. Each capture records 500 nested ranges per second and writes a block every
// 100 ms, as the capture library does. One thread reads the new blocks and makes the next scene, at most half
// of the time, as LiveWatch does. The view follows the newest data with a frame every 16 ms at 1920x1080.
// Connections are not part of the measurement. --smoke: 2 captures for a second.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <thread>

#include <QApplication>

#include <sys/resource.h>

#include "app/window/live_glide.h"
#include "core/readers/capture_spool/live_recording.h"
#include "core/scene/next_scene.h"
#include "core/timeline/layout.h"
#include "tests/bench/bench.h"
#include "tests/support/made_spool.h"
#include "tests/support/temp_dir.h"
#include "tests/support/workers.h"
#include "ui/timeline/lane_painter.h"
#include "ui/timeline/timeline_font.h"

namespace lockstep::live_frame_bench {

using Clock = std::chrono::steady_clock;

namespace {

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kBlock_ns = 100 * kMs, kRange_ns = 2 * kMs, kShown_ns = 10'000 * kMs;
constexpr int kMinPause_ms = 200; // between two rounds

int64_t now_ns()
{
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch()).count();
}

double cpu_s(int whose)
{
    rusage usage = {};
    getrusage(whose, &usage);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// A capture file that a thread extends.
class Capture {
  public:
    Capture(const std::filesystem::path& folder, int rank)
        : m_file(folder / ("rank" + std::to_string(rank) + ".lsc")),
          m_spool(static_cast<uint8_t>(rank + 1), now_ns()), m_from_ns(now_ns())
    {
        m_spool.meta(rank, 1000 + rank);
        append();
    }

    const std::filesystem::path& file() const { return m_file; }
    uint64_t bytes() const { return m_written; }
    // Writes a block with the ranges since the last one.
    void grow()
    {
        m_spool.thread(1);
        const int64_t end_ns = now_ns();
        for (; m_from_ns + kRange_ns <= end_ns; m_from_ns += kRange_ns)
            m_spool.push(m_from_ns, "forward")
                .push(m_from_ns + kMs / 2, "matmul")
                .pop(m_from_ns + kMs)
                .pop(m_from_ns + kRange_ns - 1000);
        m_spool.closeBlock();
        append();
    }

  private:
    void append()
    {
        std::ofstream out(m_file, std::ios::binary | std::ios::app);
        out.write(m_spool.bytes().data() + m_written,
                  static_cast<std::streamsize>(m_spool.bytes().size() - m_written));
        out.close();
        m_written = m_spool.bytes().size();
    }

    std::filesystem::path m_file;
    test::MadeSpool m_spool;
    int64_t m_from_ns;
    std::atomic<uint64_t> m_written = 0;
};

// Makes scenes from the captures.
class Rounds {
  public:
    explicit Rounds(std::vector<std::unique_ptr<Capture>>& captures)
    {
        for (const auto& capture : captures)
            m_watched.push_back(
                {*capture, LiveRecording(capture->file()), {}, ReportKey(m_nextKey++), false});
    }

    // Reads the new blocks. Returns the next scene.
    ScenePtr next()
    {
        SceneChange change;
        for (Watched& watched : m_watched) {
            const auto read = watched.recording.read({watched.capture.bytes(), now_ns(), false}, Progress());
            if (!read) continue;
            take(change, watched, *read);
            while (const auto merge = watched.recording.nextMerge()) {
                const auto merged = LiveRecording::readMerged(watched.recording.path(), *merge, Progress());
                if (!merged) break;
                take(change, watched, watched.recording.applyMerge(*merge, *merged));
            }
        }
        m_scene = nextScene(m_scene, change, Progress()).value();
        return m_scene;
    }

  private:
    struct Watched {
        const Capture& capture;
        LiveRecording recording;
        std::map<uint64_t, ReportKey> chunks;
        ReportKey open;
        bool isOpenShown = false;
    };

    static void show(SceneChange& change, ReportKey key, const LiveRecording::ReportPtr& report)
    {
        change.opened.push_back({key, report, buildLod(*report, Progress()),
                                 std::make_shared<const ReportIdentity>(identityOf(*report, {}, {}))});
    }
    void take(SceneChange& change, Watched& watched, const LiveRecording::Change& read)
    {
        for (const uint64_t number : read.removed) {
            const ReportKey key = watched.chunks.at(number);
            std::erase_if(change.opened, [key](const OpenedInScene& opened) { return opened.key == key; });
            change.closed.insert(key);
            watched.chunks.erase(number);
        }
        for (const auto& chunk : read.added) {
            const ReportKey key = watched.chunks[chunk.number] = ReportKey(m_nextKey++);
            show(change, key, chunk.report);
        }
        if (read.open == nullptr) return;
        if (std::exchange(watched.isOpenShown, true)) change.closed.insert(watched.open);
        show(change, watched.open, read.open);
    }

    std::vector<Watched> m_watched;
    size_t m_nextKey = 0;
    ScenePtr m_scene = std::make_shared<const Scene>();
};

struct Figures {
    std::vector<double> latency_ms, frame_ms, scene_ms;
    double cores = 0;
};

double share(std::vector<double>& values, double part)
{
    if (values.empty()) return 0;
    std::ranges::sort(values);
    return values[static_cast<size_t>(part * static_cast<double>(values.size() - 1))];
}

Figures measure(int captures, int seconds)
{
    const test::TempDir folder;
    std::vector<std::unique_ptr<Capture>> files;
    for (int rank = 0; rank < captures; ++rank)
        files.push_back(std::make_unique<Capture>(folder.path(), rank));
    std::atomic<bool> isOver = false;
    std::atomic<double> writer_s = 0;
    std::mutex mutex;
    ScenePtr latest;
    Figures figures;
    std::thread writer([&] {
        for (auto next = Clock::now(); !isOver; std::this_thread::sleep_until(next)) {
            next += std::chrono::nanoseconds(kBlock_ns);
            for (const auto& file : files)
                file->grow();
            writer_s = cpu_s(RUSAGE_THREAD);
        }
    });
    std::thread reader([&] {
        Rounds rounds(files);
        while (!isOver) {
            const auto begin = Clock::now();
            ScenePtr scene = rounds.next();
            const auto cost = Clock::now() - begin;
            {
                const std::scoped_lock lock(mutex);
                latest = std::move(scene);
            }
            figures.scene_ms.push_back(std::chrono::duration<double, std::milli>(cost).count());
            std::this_thread::sleep_until(
                begin + std::max<Clock::duration>(std::chrono::milliseconds(kMinPause_ms), 2 * cost));
        }
    });
    const LanePainter painter(darkTheme(), 1, test::machineWorkers());
    const LabelFont font = labelFontOf(painter.font());
    QImage image(1920, 1080, QImage::Format_RGB32);
    ScenePtr scene;
    LaneFlow flow;
    DisplayList list;
    LiveGlide glide;
    int64_t shown_ns = 0;
    const auto begin = Clock::now();
    const double begin_s = cpu_s(RUSAGE_SELF);
    while (Clock::now() - begin < std::chrono::seconds(seconds)) {
        const auto frame = Clock::now();
        const int64_t frame_ns = now_ns();
        {
            const std::scoped_lock lock(mutex);
            if (latest != scene) {
                scene = latest;
                flow = placeLanes(*scene, {}, std::vector<bool>(scene->tree->size(), true),
                                  FrameMetrics::at(1), &flow);
                glide.setNewest(scene->extent().end, {frame_ns});
            }
        }
        if (scene == nullptr || scene->shown.isEmpty()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            continue;
        }
        FrameView view;
        view.flow = &flow;
        view.font = &font;
        view.workers = test::machineWorkers();
        view.size = {1920, 1080};
        const TraceTime edge = glide.edgeAt({frame_ns});
        view.visible = {edge - Duration{kShown_ns}, edge};
        list = layOut(*scene, view, std::move(list));
        painter.paint(image, list, *scene->tree);
        figures.frame_ms.push_back(std::chrono::duration<double, std::milli>(Clock::now() - frame).count());
        // The records that this frame shows for the first time.
        const int64_t edge_ns = scene->alignment.map(scene->shown.keys().front()).traceFromAligned(edge).ns;
        for (int64_t at_ns = shown_ns; shown_ns > 0 && at_ns < edge_ns; at_ns += kMs)
            figures.latency_ms.push_back(static_cast<double>(now_ns() - at_ns) / 1e6);
        shown_ns = std::max(shown_ns, edge_ns);
        std::this_thread::sleep_until(frame + std::chrono::milliseconds(16));
    }
    const double wall_s = std::chrono::duration<double>(Clock::now() - begin).count();
    figures.cores = (cpu_s(RUSAGE_SELF) - begin_s - writer_s) / wall_s;
    isOver = true;
    writer.join();
    reader.join();
    return figures;
}

int bench(int argc, char** argv)
{
    const bool isSmoke = argc > 1 && std::strcmp(argv[1], "--smoke") == 0;
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    for (const int captures : isSmoke ? std::vector{2} : std::vector{4, 64}) {
        Figures figures = measure(captures, isSmoke ? 1 : 20);
        std::printf(
            "%d captures: record to pixel median %.0f ms, p95 %.0f ms; frame median %.2f ms, p95 %.2f ms; "
            "scene median %.1f ms; %.2f cores\n",
            captures, share(figures.latency_ms, 0.5), share(figures.latency_ms, 0.95),
            share(figures.frame_ms, 0.5), share(figures.frame_ms, 0.95), share(figures.scene_ms, 0.5),
            figures.cores);
    }
    return 0;
}

const test::Bench kBench("live_frame_bench", bench);

} // namespace

} // namespace lockstep::live_frame_bench
