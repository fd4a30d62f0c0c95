// SPDX-License-Identifier: Apache-2.0
// Measures the events table over many tracks: opening the list, a screen of rows at any position, finding the
// row of a slice, and a filter. Compared with a frame of 16 ms, in wall time and in CPU time of this thread,
// which other programs don't affect. Arguments: [--smoke] [slices].
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <random>

#include "core/search/event_facts.h"
#include "core/search/event_list.h"
#include "core/trace/report_columns.h"
#include "tests/bench/bench.h"
#include "tests/support/made_reports.h"
#include "tests/support/workers.h"

namespace lockstep::events_bench {

namespace {

constexpr uint32_t kTracks = 16; // per report

double ranMs()
{
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

double tookMs(const auto& work)
{
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

// Makes one rank with kTracks streams whose slices have random gaps.
std::unique_ptr<Report> oneRank(size_t slices, uint32_t seed)
{
    auto report = std::make_unique<Report>();
    for (int i = 0; i < 200; ++i)
        report->strings.intern("kernel_" + std::to_string(i));
    report->processes.emplace_back();
    report->threads.push_back({ProcessId(0u), 1, StringId(0u)});
    SliceColumns::visit(report->slices, [&](const ColumnFacts&, auto& column) { column.resize(slices); });
    SliceTable& rows = report->slices;
    std::minstd_rand random(seed);
    const size_t each = slices / kTracks;
    for (uint32_t t = 0; t < kTracks; ++t) {
        const size_t first = t * each, end = t + 1 == kTracks ? slices : first + each;
        report->tracks.push_back({{TrackKind::ops, ProcessId(0u), ThreadId(0u), {}, int64_t(t), 0},
                                  StringId(0u),
                                  SliceId(first),
                                  static_cast<uint32_t>(end - first),
                                  1});
        int64_t at = 0;
        for (size_t i = first; i < end; ++i) {
            rows.start_ns[i] = at;
            rows.duration_ns[i] = 1 + static_cast<int64_t>(random() % 900);
            at += 1'000 + static_cast<int64_t>(random() % 50);
            rows.source[i] = SourceRow::of(0, i);
            rows.name[i] = StringId(static_cast<uint32_t>(random() % 200));
            rows.parent[i] = SliceId();
            rows.kind[i] = RowKind::span;
            rows.category[i] = SliceCategory::op;
        }
        report->extent = report->extent.unitedWith({{0}, {at}});
    }
    return report;
}

void measure(const char* what, const EventList& list, std::mt19937_64& random)
{
    if (list.size() == 0) return;
    std::vector<double> screens, pages, finds;
    std::vector<SliceRef> rows(60), page(256);
    double ranMost = 0;
    for (int i = 0; i < 200; ++i) {
        const uint64_t first = random() % list.size();
        const double before = ranMs();
        page.resize(std::min<uint64_t>(256, list.size() - first));
        pages.push_back(tookMs([&] { list.read(first, page); }));
        screens.push_back(tookMs([&] {
            for (const SliceRef row : std::span(page).first(std::min<size_t>(60, page.size())))
                (void)eventFacts(*list.scene(), row);
        }));
        ranMost = std::max(ranMost, ranMs() - before);
        finds.push_back(tookMs([&] { (void)list.rowOf(page.front()); }));
    }
    const auto worst = [](std::vector<double>& of) {
        std::ranges::sort(of);
        return std::pair(of[of.size() / 2], of.back());
    };
    const auto [p, pMost] = worst(pages);
    const auto [s, sMost] = worst(screens);
    const auto [f, fMost] = worst(finds);
    std::printf(
        "%s: %llu rows; 256 rows anywhere %.2f ms (most %.2f), facts of 60 %.3f (%.3f), row of a slice %.3f "
        "(%.3f); a jump takes at most %.2f of a frame of 16 ms, %.2f of it while it runs\n",
        what, static_cast<unsigned long long>(list.size()), p, pMost, s, sMost, f, fMost,
        (pMost + sMost) / 16, ranMost / 16);
}

int bench(int argc, char** argv)
{
    const bool isSmoke = argc > 1 && std::strcmp(argv[1], "--smoke") == 0;
    const size_t slices = isSmoke ? 200'000 : argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100'000'000;
    constexpr size_t kReports = 8;
    Workspace workspace;
    for (size_t i = 0; i < kReports; ++i)
        workspace.add(
            std::shared_ptr<const Report>(oneRank(slices / kReports, static_cast<uint32_t>(i + 1))));
    const ScenePtr scene = test::madeScene(workspace);
    const Progress progress(test::machineWorkers());
    std::mt19937_64 random(7);
    std::shared_ptr<const EventList> list;
    const double open = tookMs([&] { list = EventList::make(scene, {}, progress).value(); });
    std::printf("%zu slices, %zu tracks: list made in %.1f ms\n", slices, kReports * kTracks, open);
    measure("by time", *list, random);
    std::shared_ptr<const EventHits> hits;
    const double find = tookMs([&] {
        hits = EventHits::find(*scene, parseEventQuery("kernel_17 dur>450ns").value(), progress).value();
    });
    EventListOptions options;
    options.hits = hits;
    const double filter = tookMs([&] { list = EventList::make(scene, options, progress).value(); });
    std::printf("filtered in %.1f ms, listed in %.1f ms\n", find, filter);
    measure("filtered", *list, random);
    options.order = EventOrder::duration;
    const double sort = tookMs([&] { list = EventList::make(scene, options, progress).value(); });
    std::printf("by duration in %.1f ms%s\n", sort, list->isTooLong() ? " (too long, kept by time)" : "");
    measure("by duration", *list, random);
    return 0;
}

const test::Bench kBench("events_bench", bench);

} // namespace

} // namespace lockstep::events_bench
