// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/duration_histogram.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/analysis/area_groups.h"

namespace lockstep {

namespace {

constexpr uint32_t kBarRowsAtOnce = 1 << 16;
constexpr int kBars = 19 * DurationHistogram::kBarsADecade; // kAllTime is shorter than 10^19 ns

// edges[b] is the shortest integer duration in bar b, in ns.
const std::array<int64_t, kBars + 1>& barEdges()
{
    static const auto edges = [] {
        std::array<int64_t, kBars + 1> out{};
        for (int bar = 0; bar < kBars; ++bar) {
            const double edge = std::pow(10.0, static_cast<double>(bar) / DurationHistogram::kBarsADecade);
            out[static_cast<size_t>(bar)] =
                edge < 9.2e18 ? static_cast<int64_t>(std::ceil(edge - 1e-9 * edge)) : kAllTime.end.ns;
        }
        out[kBars] = std::numeric_limits<int64_t>::max();
        return out;
    }();
    return edges;
}

// Visits the slices in one group of a selection in parallel, without duplicates.
class GroupVisitor {
  public:
    GroupVisitor(const Scene& scene, const AreaRows& rows, AreaGroup by,
                 const std::optional<std::string>& label, const Progress& progress)
        : m_scene(scene), m_rows(rows), m_groups(scene, rows, by, progress), m_progress(progress)
    {
        for (const AreaRun& run : rows.runs()) {
            const AreaGroups::OfRun groups = m_groups.of(run);
            for (uint32_t at = 0; at < run.count; at += kBarRowsAtOnce)
                m_chunks.push_back({&run, groups, at, std::min(run.count, at + kBarRowsAtOnce)});
        }
        for (uint32_t group = 0; group < m_groups.count(); ++group) {
            if (label && m_groups.labelOf(group) == *label) m_group = group;
        }
        m_isOfAll = !label.has_value();
    }

    size_t chunkCount() const { return m_chunks.size(); }

    // Calls visit(chunk, row's slice, counted duration, isCut). Includes clipped slices, regardless of the
    // clip setting.
    void run(const auto& visit) const
    {
        m_progress.workers().run(m_chunks.size(), [&](size_t i, size_t) {
            if (!m_progress.isCanceled()) visitChunk(i, visit);
        });
    }

  private:
    struct Chunk {
        const AreaRun* run;
        AreaGroups::OfRun groups;
        uint32_t first, last;
    };

    void visitChunk(size_t i, const auto& visit) const
    {
        const Chunk& chunk = m_chunks[i];
        const AreaRun& run = *chunk.run;
        const SliceTable& slices = m_scene.shown.report(run.report).slices;
        const IntervalSet& windows = m_rows.windowsOf(run);
        for (uint32_t at = chunk.first; at < chunk.last; ++at) {
            const uint32_t row = run.row(at);
            if (slices.start_ns[row] < run.counted.ns) continue;
            if (!m_isOfAll && chunk.groups.at(row) != m_group) continue;
            const TimeRange slice = slices.range(SliceId(row));
            const bool isCut = slice.begin < run.window.begin || run.window.end < slice.end;
            visit(i, SliceRef{run.report, SliceId(row)}, isCut ? insideOf(windows, slice) : slice.length().ns,
                  isCut);
        }
    }

    const Scene& m_scene;
    const AreaRows& m_rows;
    AreaGroups m_groups;
    const Progress& m_progress;
    std::vector<Chunk> m_chunks;
    uint32_t m_group = 0xFFFFFFFFu;
    bool m_isOfAll = true;
};

// Returns the value at a zero-based sort position.
int64_t valueAt(std::vector<int64_t>& values, uint64_t rank)
{
    const auto at = values.begin() + static_cast<ptrdiff_t>(rank);
    std::nth_element(values.begin(), at, values.end());
    return *at;
}

} // namespace

int64_t DurationHistogram::edgeOf(int bar)
{
    return bar <= 0 ? 0 : barEdges()[static_cast<size_t>(std::min(bar, kBars))];
}

int DurationHistogram::barOf(int64_t duration_ns)
{
    const auto& edges = barEdges();
    const auto after = std::ranges::upper_bound(edges, std::max<int64_t>(1, duration_ns));
    return static_cast<int>(after - edges.begin()) - 1;
}

Result<DurationHistogram> durationHistogram(const Scene& scene, const AreaQuery& query, AreaGroup by,
                                            const std::optional<std::string>& label, const Progress& progress)
{
    const AreaRows rows = LOCKSTEP_TRY(areaRowsOf(scene, query, progress));
    const GroupVisitor visitor(scene, rows, by, label, progress);
    LOCKSTEP_TRY(progress.check());
    std::vector<std::vector<int64_t>> values(visitor.chunkCount());
    std::vector<uint64_t> cut(visitor.chunkCount(), 0);
    visitor.run([&](size_t chunk, SliceRef, int64_t duration_ns, bool isCut) {
        cut[chunk] += isCut ? 1 : 0;
        if (!isCut || query.clip == Clip::include) values[chunk].push_back(duration_ns);
    });
    LOCKSTEP_TRY(progress.check());
    DurationHistogram out;
    std::vector<int64_t> all;
    for (size_t i = 0; i < values.size(); ++i) {
        out.cut += cut[i];
        all.insert(all.end(), values[i].begin(), values[i].end());
        values[i] = {};
    }
    out.count = all.size();
    if (all.empty()) return out;
    const auto [least, most] = std::ranges::minmax(all);
    out.first = DurationHistogram::barOf(least);
    out.bars.resize(static_cast<size_t>(DurationHistogram::barOf(most) - out.first) + 1, 0);
    for (const int64_t value : all)
        ++out.bars[static_cast<size_t>(DurationHistogram::barOf(value) - out.first)];
    LOCKSTEP_TRY(progress.check());
    out.max_ns = most;
    out.median_ns = valueAt(all, (out.count - 1) / 2);
    out.p95_ns = valueAt(all, (out.count * 95 + 99) / 100 - 1);
    return out;
}

Result<SliceList> slicesOfBars(const Scene& scene, const AreaQuery& query, AreaGroup by,
                               const std::optional<std::string>& label, int firstBar, int lastBar,
                               const Progress& progress)
{
    const AreaRows rows = LOCKSTEP_TRY(areaRowsOf(scene, query, progress));
    const GroupVisitor visitor(scene, rows, by, label, progress);
    LOCKSTEP_TRY(progress.check());
    const int64_t least = DurationHistogram::edgeOf(firstBar), end = DurationHistogram::edgeOf(lastBar + 1);
    std::vector<std::vector<SliceRef>> found(visitor.chunkCount());
    visitor.run([&](size_t chunk, SliceRef slice, int64_t duration_ns, bool isCut) {
        if (isCut && query.clip == Clip::exclude) return;
        if (duration_ns >= least && duration_ns < end) found[chunk].push_back(slice);
    });
    LOCKSTEP_TRY(progress.check());
    std::vector<SliceRef> all;
    for (const std::vector<SliceRef>& part : found)
        all.insert(all.end(), part.begin(), part.end());
    return sliceListOf(std::move(all));
}

namespace {

void fitAxes(HistogramBars& out, AxisScale scale)
{
    if (out.bars.empty()) return;
    const double from = std::ranges::min(out.bars, {}, &HistogramBars::Bar::from_ns).from_ns;
    const double to = std::ranges::max(out.bars, {}, &HistogramBars::Bar::to_ns).to_ns;
    const double largest = std::ranges::max(out.bars, {}, &HistogramBars::Bar::count).count;
    out.durations = {from, to, scale == AxisScale::linear ? timeUnitOf(to) : AxisUnit(), scale};
    out.counts = {0, largest > 0 ? largest : 1, {}, AxisScale::whole};
}

} // namespace

HistogramBars histogramBarsOf(const Table& table, const TableChart& chart, size_t namedRow)
{
    HistogramBars out;
    if (namedRow >= table.rowCount()) return out;
    const size_t count = chart.values[0], from = chart.along, to = *chart.until;
    out.name = chartLabel(table, chart, namedRow);
    out.countName = columnLabel(table, count);
    for (size_t row = 0; row < table.rowCount(); ++row) {
        if (!table.hasNumber(count, row) || !table.hasNumber(from, row) || !table.hasNumber(to, row))
            continue;
        if (chartLabel(table, chart, row) != out.name) {
            ++out.otherRows;
            continue;
        }
        out.bars.push_back({table.value(from, row), table.value(to, row),
                            std::max(0.0, table.value(count, row)), static_cast<int>(row)});
    }
    fitAxes(out, AxisScale::linear);
    return out;
}

HistogramBars histogramBarsOf(const DurationHistogram& histogram)
{
    HistogramBars out;
    const auto edge = [](int bar) {
        return std::pow(10, static_cast<double>(bar) / DurationHistogram::kBarsADecade);
    };
    for (int bar = histogram.first; const uint64_t count : histogram.bars) {
        out.bars.push_back({edge(bar), edge(bar + 1), static_cast<double>(count), bar});
        ++bar;
    }
    fitAxes(out, AxisScale::logarithmic);
    return out;
}

} // namespace lockstep
