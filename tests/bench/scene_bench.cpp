// SPDX-License-Identifier: Apache-2.0
// Measures scenes of many ranks: the cost per report while reports arrive one by one, relative to an eighth
// of them, and the window's work with all of them: a frame of the rank map, collapsing a host, typing a
// filter, selecting a collective in which every rank took part. Prints milliseconds, the ratio, and bytes per
// slice. --smoke: 64 and 128 reports of 400 slices.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>

#include "core/align/collective_peers.h"
#include "core/lanes/lane_filter.h"
#include "core/scene/next_scene.h"
#include "core/timeline/layout.h"
#include "tests/bench/bench.h"
#include "tests/support/rank_report.h"
#include "tests/support/workers.h"

namespace lockstep::scene_bench {

namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point begin)
{
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

// Returns the minimum of several runs, in ms.
template<class Run>
double least(const Run& run)
{
    double best = 1e9;
    for (int i = 0; i < 5; ++i) {
        const auto begin = Clock::now();
        run();
        best = std::min(best, since(begin));
    }
    return best;
}

constexpr int kPerHost = 8, kCollectives = 50;
constexpr int64_t kStep_ns = 20'000'000;

// Kernels with their launches, and 50 all-reduces of all ranks.
std::shared_ptr<const Report> manySlices(int rank, int ranks, int slices)
{
    test::RankReport made(rank, "node" + std::to_string(rank / kPerHost), 1'700'000'000'000'000'000);
    const int perStep = (slices - kCollectives) / kCollectives / 2;
    for (int step = 0; step < kCollectives; ++step) {
        const int64_t begin = step * kStep_ns;
        const int64_t length = 16'000'000 / std::max(1, perStep);
        for (int i = 0; i < perStep; ++i) {
            const auto correlation = static_cast<uint32_t>(step * perStep + i + 1);
            made.addLaunch(begin + i * length, correlation);
            made.addKernel(begin + i * length + 2'000, begin + i * length + length - (i % 7) * 500, "gemm");
        }
        CollectiveOp op;
        op.sequence = static_cast<uint64_t>(step);
        op.groupSize = static_cast<uint32_t>(ranks);
        made.addCollective(begin + 16'500'000 + (rank * 37 % 100) * 10'000, begin + 19'000'000, "allreduce",
                           "0", op);
    }
    return made.finish();
}

struct Ranks {
    std::vector<OpenedInScene> opened;
    uint64_t slices = 0, bytes = 0;
};

Ranks makeRanks(int ranks, int slices)
{
    Ranks out;
    for (int rank = 0; rank < ranks; ++rank) {
        OpenedInScene opened;
        opened.key = ReportKey(static_cast<size_t>(rank));
        opened.report = manySlices(rank, ranks, slices);
        opened.lod = buildLod(*opened.report, test::machineWorkers());
        opened.identity =
            std::make_shared<const ReportIdentity>(identityOf(*opened.report, Identity(), Identity()));
        out.slices += opened.report->slices.size();
        out.bytes += opened.report->residentBytes() + opened.lod->residentBytes();
        out.opened.push_back(std::move(opened));
    }
    return out;
}

struct Arrived {
    ScenePtr scene;
    double first_ms = 0; // until the first report could be drawn
    double all_ms = 0;   // all reports, one step each
};

Arrived arrive(const Ranks& ranks, size_t count)
{
    Arrived out;
    out.scene = std::make_shared<const Scene>();
    const auto begin = Clock::now();
    for (size_t i = 0; i < count; ++i) {
        SceneChange change;
        change.opened.push_back(ranks.opened[i]);
        out.scene = nextScene(out.scene, change, Progress(test::machineWorkers())).value();
        if (i == 0) out.first_ms = since(begin);
    }
    out.all_ms = since(begin);
    return out;
}

// Adds reports as the window does: reports that arrive while a scene is made wait. The next scene waits for
// three times as long as the last one took. A report arrives every `pause_ms`. Returns the ms spent on
// scenes.
double arrivePaced(const Ranks& ranks, size_t count, double pause_ms)
{
    ScenePtr scene = std::make_shared<const Scene>();
    double spent_ms = 0, now_ms = pause_ms;
    for (size_t taken = 0; taken < count;) {
        SceneChange change;
        const auto here = std::min(count, static_cast<size_t>(now_ms / pause_ms));
        for (; taken < here; ++taken)
            change.opened.push_back(ranks.opened[taken]);
        const auto begin = Clock::now();
        scene = nextScene(scene, change, Progress(test::machineWorkers())).value();
        const double cost_ms = since(begin);
        spent_ms += cost_ms;
        now_ms = std::max(now_ms + cost_ms + std::clamp(3 * cost_ms, 30.0, 500.0),
                          static_cast<double>(taken + 1) * pause_ms);
    }
    return spent_ms;
}

class Window {
  public:
    explicit Window(ScenePtr scene) : m_scene(std::move(scene)), m_font(LabelFont::fixed(7))
    {
        m_shown.assign(m_scene->tree->size(), true);
        place();
    }

    LaneState& lanes() { return m_state; }
    const LaneTree& tree() const { return *m_scene->tree; }
    void filter(const std::string& text)
    {
        m_shown = LaneFilter::make(text).value().shownLanes(*m_scene->tree);
        place();
    }
    void place()
    {
        const LaneFlow last = std::move(m_flow);
        m_flow = placeLanes(*m_scene, m_state, m_shown, FrameMetrics::at(1), &last);
    }
    void select(SliceRef slice)
    {
        const CollectivePeers peers = peersOf(m_scene->shown, m_scene->alignment, slice);
        m_selection.slice = slice;
        m_selection.peers = peers.parts;
        m_selection.peersCause = peers.cause;
    }
    void frame(bool isFresh = false)
    {
        FrameView view;
        view.flow = &m_flow;
        view.font = &m_font;
        view.workers = test::machineWorkers();
        view.size = {1'920, 1'000};
        view.visible = m_scene->extent();
        view.selection = m_selection;
        m_list = layOut(*m_scene, view, isFresh ? DisplayList() : std::move(m_list));
    }

  private:
    ScenePtr m_scene;
    LabelFont m_font;
    LaneState m_state;
    std::vector<bool> m_shown;
    LaneFlow m_flow;
    Selection m_selection;
    DisplayList m_list;
};

void measureWindow(const ScenePtr& scene)
{
    Window window(scene);
    std::printf("a frame of the map %.1f ms, once more %.2f ms\n", least([&] { window.frame(true); }),
                least([&] { window.frame(); }));
    uint32_t host = 0;
    while (host < window.tree().size() && window.tree().levelOf(host) != 1)
        ++host;
    bool isOpen = false;
    std::printf("a host out of the map and back %.1f ms\n", least([&] {
                    isOpen = !isOpen;
                    if (isOpen) window.lanes().reveal(window.tree(), host, true);
                    if (!isOpen) window.lanes().close(window.tree(), host);
                    window.place();
                    window.frame();
                }));
    window.lanes().fold(window.tree().lane(0), false);
    window.place();
    bool isFolded = false;
    std::printf("folding a host among all of them %.1f ms\n", least([&] {
                    isFolded = !isFolded;
                    window.lanes().fold(window.tree().lane(host), isFolded);
                    window.place();
                    window.frame();
                }));
    std::string text;
    std::printf("a letter of a filter %.1f ms\n", least([&] {
                    text += "rank"[text.size() % 4];
                    window.filter(text);
                    window.frame();
                }));
    window.filter("");
    const ReportKey first = scene->shown.keys().front();
    const Report& report = scene->shown.report(first);
    SliceRef collective;
    for (uint32_t i = 0; i < report.slices.size() && !collective.isValid(); ++i) {
        if (i > report.slices.size() / 3 && report.slices.category[i] == SliceCategory::communication)
            collective = {first, SliceId(i)};
    }
    std::printf("selecting a collective of all ranks %.1f ms\n", least([&] {
                    window.select(collective);
                    window.frame();
                }));
}

int bench(int argc, char** argv)
{
    const bool isSmoke = argc > 1 && std::strcmp(argv[1], "--smoke") == 0;
    const int many = isSmoke ? 128 : 1'024, slices = isSmoke ? 400 : 20'000;
    const size_t few = isSmoke ? 64 : 128;
    const Ranks ranks = makeRanks(many, slices);
    const Arrived small = arrive(ranks, few), large = arrive(ranks, static_cast<size_t>(many));
    std::printf("%d reports of %d slices: %.1f bytes a slice\n", many, slices,
                static_cast<double>(ranks.bytes) / static_cast<double>(ranks.slices));
    std::printf("the first can be drawn after %.2f ms, all %d after %.0f ms of scenes, %zu lanes\n",
                large.first_ms, many, large.all_ms, large.scene->tree->size());
    std::printf("one by one, a report of %d takes %.2f times a report of %zu\n", many,
                large.all_ms / many / (small.all_ms / static_cast<double>(few)), few);
    constexpr double kLoad_ms = 2.7; // time to read a small report
    const double pacedFew_ms = kLoad_ms + arrivePaced(ranks, few, kLoad_ms) / static_cast<double>(few);
    const double pacedMany_ms = kLoad_ms + arrivePaced(ranks, static_cast<size_t>(many), kLoad_ms) / many;
    std::printf("as the window takes them, a report each %.1f ms: %.2f and %.2f ms a report, %.2f times\n",
                kLoad_ms, pacedFew_ms, pacedMany_ms, pacedMany_ms / pacedFew_ms);
    const auto begin = Clock::now();
    SceneChange change;
    change.alignment = alignReports(large.scene->open, {}, Progress(test::machineWorkers())).value();
    std::printf("aligned in %.0f ms", since(begin));
    const auto applied = Clock::now();
    const ScenePtr scene = nextScene(large.scene, change, Progress(test::machineWorkers())).value();
    std::printf(", applied in %.1f ms\n", since(applied));
    measureWindow(scene);
    return 0;
}

const test::Bench kBench("scene_bench", bench);

} // namespace

} // namespace lockstep::scene_bench
