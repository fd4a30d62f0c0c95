// SPDX-License-Identifier: Apache-2.0
// Measures name search among 10^8 slices: making the search (which counts the matches), the first match, the
// next and the previous one, and the index of a match. The baseline is a plain scan of the name column in the
// same run. Arguments: [--smoke] [slices].
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "core/timeline/scene_search.h"
#include "core/trace/report_columns.h"
#include "tests/bench/bench.h"
#include "tests/support/made_reports.h"
#include "tests/support/workers.h"

namespace lockstep::search_bench {

namespace {

constexpr uint32_t kNames = 20'000;

double msOf(const auto& work)
{
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

// Makes one track. 200 names repeat throughout; each of the others occurs in one place.
std::unique_ptr<Report> manyNames(size_t slices)
{
    auto report = std::make_unique<Report>();
    for (uint32_t i = 0; i + 1 < kNames; ++i)
        report->strings.intern("void namespace_of_kernels::kernel_" + std::to_string(i) + "<float, 128>()");
    report->processes.emplace_back();
    report->threads.push_back({ProcessId(0u), 1, StringId(0u)});
    report->tracks.push_back({{TrackKind::ops, ProcessId(0u), ThreadId(0u), {}, 0, 0},
                              StringId(0u),
                              SliceId(0u),
                              static_cast<uint32_t>(slices),
                              1});
    SliceColumns::visit(report->slices, [&](const ColumnFacts&, auto& column) { column.resize(slices); });
    SliceTable& rows = report->slices;
    for (size_t i = 0; i < slices; ++i) {
        rows.start_ns[i] = static_cast<int64_t>(i) * 10;
        rows.duration_ns[i] = 5;
        rows.source[i] = SourceRow::of(0, i);
        const auto rare = static_cast<uint32_t>(200 + i * (kNames - 200) / slices);
        rows.name[i] = StringId(i % 1'000 == 0 ? rare : static_cast<uint32_t>(1 + i * 7919 % 199));
        rows.parent[i] = SliceId();
        rows.kind[i] = RowKind::span;
        rows.category[i] = SliceCategory::op;
    }
    report->extent = {{0}, {static_cast<int64_t>(slices) * 10}};
    return report;
}

void search(const ScenePtr& scene, const char* what, const std::string& text)
{
    std::optional<SceneSearch> search;
    const Progress progress(test::machineWorkers());
    uint64_t firstRows = 0;
    const double early = msOf([&] {
        const auto found =
            SceneSearch::makeFirst(scene, parseEventQuery(text).value(), 100, progress).value();
        std::vector<SliceRef> rows(found.sliceCount());
        found.slices()->read(0, rows);
        firstRows = rows.size();
    });
    const double make = msOf([&] { search = SceneSearch::make(scene, text, progress).value(); });
    std::vector<SliceRef> rows(std::min<uint64_t>(100, search->sliceCount()));
    const double read = msOf([&] { search->slices()->read(0, rows); });
    SearchResult find;
    const double first = msOf([&] { find = search->next({}); });
    double next = 0, previous = 0, index = 0;
    const int rounds = find.isEmpty() ? 0 : 50;
    for (int i = 0; i < rounds; ++i) {
        next = std::max(next, msOf([&] { find = search->next(find); }));
        index = std::max(index, msOf([&] { (void)search->indexOf(find); }));
    }
    SearchResult back = find;
    for (int i = 0; i < rounds; ++i)
        previous = std::max(previous, msOf([&] { back = search->previous(back); }));
    std::printf(
        "%s: first %llu rows after %.2f ms; %llu finds made in %.2f ms, 100 rows read in %.3f, first %.3f, next at most %.3f, previous %.3f, place %.3f ms\n",
        what, static_cast<unsigned long long>(firstRows), early,
        static_cast<unsigned long long>(search->count()), make, read, first, next, previous, index);
}

int bench(int argc, char** argv)
{
    const bool isSmoke = argc > 1 && std::strcmp(argv[1], "--smoke") == 0;
    const size_t slices = isSmoke ? 200'000 : argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100'000'000;
    std::shared_ptr<const Report> report = manyNames(slices);
    double index_ms = 0;
    size_t bytes = 0;
    index_ms = msOf([&] { bytes = NameIndex(*report).residentBytes(); });
    uint64_t sum = 0;
    const double scan = msOf([&] {
        for (const StringId name : report->slices.name)
            sum += name.value == 7 ? 1 : 0;
    });
    std::printf("%zu slices: index made in %.0f ms, %.2f bytes a slice; a bare scan takes %.1f ms (%llu)\n",
                slices, index_ms, static_cast<double>(bytes) / static_cast<double>(slices), scan,
                static_cast<unsigned long long>(sum));
    Workspace workspace;
    workspace.add(std::move(report));
    const ScenePtr scene = test::madeScene(workspace);
    search(scene, "a frequent name", "kernel_17<");
    search(scene, "a rare name", "kernel_19000<");
    search(scene, "all names", "KERNEL_");
    search(scene, "no name", "no such kernel");
    return 0;
}

const test::Bench kBench("search_bench", bench);

} // namespace

} // namespace lockstep::search_bench
