// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/summary_layout.h"

#include <algorithm>

#include "core/lanes/source_rows.h"
#include "core/timeline/pixel_scale.h"
#include "core/timeline/row_layout.h"

namespace lockstep {

namespace {

// Adds an activity to a run of pixels. Each pixel gets at most the time that remains in it.
void addWhole(std::span<ActivityParts> parts, int begin, int end, Activity activity)
{
    for (int x = begin; x < end; ++x)
        parts[static_cast<size_t>(x)][static_cast<size_t>(activity)] =
            static_cast<uint16_t>(parts[static_cast<size_t>(x)][static_cast<size_t>(activity)] + 255);
}

// Proceeds pixel by pixel if there is work, but skips stretches that are idle or filled by a single interval.
void addExactly(const LodRow& row, const PixelScale& scale, std::span<ActivityParts> parts)
{
    const uint32_t begin = row.firstReaching(scale.range().begin.ns);
    if (begin >= row.count() || row.start(begin) >= scale.range().end.ns) return;
    int x = scale.pixelOf({row.start(begin)});
    RowBoundary left = row.boundaryAt(scale.startOf(x).ns, begin > 0 ? begin - 1 : 0);
    while (x < scale.width()) {
        const TimeRange pixel = scale.pixelRange(x);
        const RowBoundary right = row.boundaryAt(pixel.end.ns, left.next);
        const bool spans = left.next > 0 && row.end(left.next - 1) > pixel.begin.ns;
        const uint32_t first = spans ? left.next - 1 : left.next;
        int next = x + 1;
        if (first == right.next) {
            if (first == row.count()) return;
            next = std::max(next, scale.pixelOf({row.start(first)}));
        } else {
            const auto length = static_cast<double>(std::max<int64_t>(1, pixel.length().ns));
            row.forEachCategoryTime(left, right, first, pixel, [&](SliceCategory category, int64_t busy_ns) {
                uint16_t& part = parts[static_cast<size_t>(x)][static_cast<size_t>(activityOf(category))];
                const double of = static_cast<double>(busy_ns) / length * 255.0;
                part = static_cast<uint16_t>(part + (busy_ns > 0 ? std::clamp(of, 1.0, 255.0) : 0.0));
            });
            const int filled = std::min(scale.width(), scale.pixelOf({row.end(right.next - 1)}));
            addWhole(parts, next, filled, activityOf(row.category(right.next - 1)));
            next = std::max(next, filled);
        }
        left = next == x + 1 ? right : row.boundaryAt(scale.startOf(next).ns, right.next);
        x = next;
    }
}

LodRow rowOf(const Scene& scene, const RowSource& source)
{
    return rowOf(scene.shown.report(source.report), *scene.lods[source.report], source, source.depth);
}

struct ActivitySum {
    uint32_t occupancy = 0;
    std::array<uint32_t, kActivities> of = {};

    void add(const ActivitySum& other)
    {
        occupancy += other.occupancy;
        for (size_t i = 0; i < kActivities; ++i)
            of[i] += other.of[i];
    }
};

using ActivitySums = std::vector<ActivitySum>; // by pixel

// Sums up those rows whose sources are all busy rows, without building a separate row for each. Returns the
// number of rows.
uint32_t sumActivities(const Scene& scene, const PixelScale& axis, std::span<const RowSource> sources,
                       ActivitySums& sums)
{
    std::vector<ActivityParts> parts(sums.size());
    uint32_t rowCount = 0;
    for (size_t begin = 0, end = 0; begin < sources.size(); begin = end, ++rowCount) {
        std::ranges::fill(parts, ActivityParts{});
        for (; end < sources.size() && sources[end].row == sources[begin].row; ++end)
            addActivity(scene, sources[end], axis, parts);
        for (size_t x = 0; x < sums.size(); ++x) {
            uint32_t all = 0;
            for (size_t i = 0; i < kActivities; ++i) {
                all += parts[x][i];
                sums[x].of[i] += parts[x][i];
            }
            sums[x].occupancy += std::min(255u, all);
        }
    }
    return rowCount;
}

void addColumns(const ActivitySums& sums, uint32_t rowCount, DisplayRow& row)
{
    for (size_t x = 0; x < sums.size(); ++x) {
        if (sums[x].occupancy == 0) continue;
        DenseColumn& column = row.columns.emplace_back();
        const auto most = std::ranges::max_element(sums[x].of) - sums[x].of.begin();
        column.x = static_cast<uint16_t>(x);
        column.occupancy = static_cast<uint8_t>((sums[x].occupancy + rowCount - 1) / rowCount);
        column.category = categoryOf(static_cast<Activity>(most));
        column.count = 1;
    }
}

void layOutSource(const Scene& scene, const PixelScale& axis, const FrameMetrics& metrics,
                  const RowSource& source, DisplayRow& out)
{
    const PixelScale scale = axis.onClock(
        [&](TimeRange aligned) { return scene.alignment.map(source.report).traceFromAligned(aligned); });
    layOutSlices(rowOf(scene, source),
                 {scene.shown.report(source.report), *scene.lods[source.report], scale, metrics}, out);
}

// Adds rows one by one. Each row is merged from its captures.
void addRows(const Scene& scene, const PixelScale& axis, const FrameMetrics& metrics,
             std::span<const RowSource> sources, RowSum& sum)
{
    for (size_t begin = 0, end = 0; begin < sources.size(); begin = end) {
        std::vector<DisplayRow> captures;
        for (; end < sources.size() && sources[end].row == sources[begin].row; ++end) {
            if (sources[end].kind != RowSource::Kind::counter)
                layOutSource(scene, axis, metrics, sources[end], captures.emplace_back());
        }
        if (captures.size() == 1) {
            sum.add(captures.front());
            continue;
        }
        RowSum united(axis.width());
        for (const DisplayRow& capture : captures)
            united.add(capture);
        DisplayRow merged;
        united.appendUnion(merged);
        sum.add(merged);
    }
}

bool areAllBusy(std::span<const RowSource> sources)
{
    return std::ranges::all_of(sources,
                               [](const RowSource& source) { return source.kind == RowSource::Kind::busy; });
}

} // namespace

void addActivity(const Scene& scene, const RowSource& source, TimeRange visible,
                 std::span<ActivityParts> parts)
{
    const TimeRange range = scene.alignment.map(source.report).traceFromAligned(visible);
    if (parts.empty() || source.extent.end < range.begin || range.end <= source.extent.begin) return;
    const ActivityBuckets& buckets = scene.lods[source.report]->busyRows()[source.busyRow].buckets();
    if (range.length().ns / static_cast<int64_t>(parts.size()) >= buckets.finest().ns)
        return buckets.addTo(range, parts);
    addExactly(rowOf(scene, source), PixelScale(range, static_cast<int>(parts.size())), parts);
}

void addActivity(const Scene& scene, const RowSource& source, const PixelScale& axis,
                 std::span<ActivityParts> parts)
{
    forEachEven(axis, parts, [&](TimeRange range, std::span<ActivityParts> some) {
        addActivity(scene, source, range, some);
    });
}

void addSliceActivity(const Scene& scene, const RowSource& source, const PixelScale& axis,
                      std::span<ActivityParts> parts)
{
    forEachEven(axis, parts, [&](TimeRange visible, std::span<ActivityParts> some) {
        const TimeRange range = scene.alignment.map(source.report).traceFromAligned(visible);
        if (some.empty() || source.extent.end < range.begin || range.end <= source.extent.begin) return;
        addExactly(rowOf(scene, source), PixelScale(range, static_cast<int>(some.size())), some);
    });
}

void layOutSummary(const Scene& scene, const PixelScale& axis, const FrameMetrics& metrics,
                   std::span<const RowSource> sources, DisplayRow& row)
{
    if (sources.size() == 1) return layOutSource(scene, axis, metrics, sources.front(), row);
    if (areAllBusy(sources)) {
        ActivitySums sums(static_cast<size_t>(axis.width()));
        const uint32_t rowCount = sumActivities(scene, axis, sources, sums);
        return addColumns(sums, rowCount, row);
    }
    RowSum sum(axis.width());
    addRows(scene, axis, metrics, sources, sum);
    sum.appendAverage(row);
}

DisplayRow layOutOverview(const Scene& scene, const PixelScale& axis, const Workers& workers)
{
    // The sources that represent each process are treated as the rows of one large lane; each worker handles
    // one part of them.
    std::vector<std::vector<RowSource>> parts(workers.count());
    std::vector<uint32_t> rowCount(parts.size(), 0);
    size_t processes = 0;
    for (const Lane& lane : scene.tree->lanes()) {
        if (lane.subject != LaneSubject::process) continue;
        const size_t part = processes++ % parts.size();
        const uint32_t first = rowCount[part];
        for (RowSource source : lane.summary) {
            if (source.kind == RowSource::Kind::counter) continue;
            source.row += first;
            rowCount[part] = std::max(rowCount[part], source.row + 1);
            parts[part].push_back(source);
        }
    }
    DisplayRow out;
    if (std::ranges::all_of(parts, areAllBusy)) {
        std::vector<ActivitySums> sums(parts.size(), ActivitySums(static_cast<size_t>(axis.width())));
        workers.run(parts.size(), [&](size_t i, size_t) { sumActivities(scene, axis, parts[i], sums[i]); });
        uint32_t all = 0;
        for (size_t i = 0; i < parts.size(); ++i) {
            all += rowCount[i];
            for (size_t x = 0; i > 0 && x < sums[i].size(); ++x)
                sums[0][x].add(sums[i][x]);
        }
        addColumns(sums[0], all, out);
        return out;
    }
    std::vector<RowSum> sums(parts.size(), RowSum(axis.width()));
    workers.run(parts.size(), [&](size_t i, size_t) { addRows(scene, axis, {}, parts[i], sums[i]); });
    for (size_t i = 1; i < sums.size(); ++i)
        sums[0].add(sums[i]);
    sums[0].appendAverage(out);
    return out;
}

} // namespace lockstep
