// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/lane_kinds/rank_map_cells.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <map>

#include "core/lanes/counter_lanes.h"
#include "core/lanes/lane_label.h"
#include "core/lanes/memory_lanes.h"
#include "core/timeline/summary_layout.h"

namespace lockstep {

namespace {

constexpr uint32_t kMinPart = 31; // of 255; minimum height, so that small amounts of work remain visible

// SliceActivity finds the activity of a process without a GPU from its slices. Time counts as communication
// while a slice of that category is open at any depth, and as `other` while only ranges are open around it:
// a program's collectives are inside the ranges of its steps. Each row is the sum of its captures, and a
// process is the maximum over its rows, so the result is the same if a recording is one report or many
// chunks. O(rows * pixels).
class SliceActivity {
  public:
    SliceActivity(const Scene& scene, const PixelScale& axis)
        : m_scene(scene), m_axis(axis), m_row(static_cast<size_t>(axis.width())), m_all(m_row.size()),
          m_busy(m_row.size())
    {
    }

    void addTo(std::span<ActivityParts> parts, uint32_t process)
    {
        addLanesOf(process);
        for (size_t x = 0; x < parts.size(); ++x) {
            uint32_t rest = m_busy[x];
            for (size_t i = 0; i < kOther; ++i) {
                const uint32_t part = std::min<uint32_t>(m_all[x][i], rest);
                parts[x][i] = static_cast<uint16_t>(parts[x][i] + part);
                rest -= part;
            }
            parts[x][kOther] = static_cast<uint16_t>(parts[x][kOther] + rest);
        }
    }

  private:
    static constexpr auto kOther = static_cast<size_t>(Activity::other);
    static_assert(kOther + 1 == kActivities);

    void addLanesOf(uint32_t index)
    {
        std::map<uint32_t, std::vector<RowSource>> rows; // by row of the lane
        for (RowSource source : m_scene.tree->lane(index).sources) {
            if (source.kind != RowSource::Kind::track) continue;
            const uint16_t depths = m_scene.shown.report(source.report).track(source.track).depthCount;
            for (source.depth = 0; source.depth < depths; ++source.depth) {
                if (matters(source)) rows[source.row + source.depth].push_back(source);
            }
        }
        for (const auto& [row, sources] : rows)
            addRow(sources);
        for (const uint32_t child : m_scene.tree->childrenOf(index))
            addLanesOf(child);
    }

    // Returns false for a row that only has ranges inside other ranges.
    bool matters(const RowSource& source) const
    {
        const SliceLod& slices = m_scene.lods[source.report]->slices();
        if (slices.isOutermost(source.track, source.depth)) return true;
        const LodRow row = slices.row(m_scene.shown.report(source.report), source.track, source.depth);
        for (uint32_t rest = row.mask(); rest != 0; rest &= rest - 1) {
            if (activityOf(static_cast<SliceCategory>(std::countr_zero(rest))) != Activity::other)
                return true;
        }
        return false;
    }

    void addRow(const std::vector<RowSource>& sources)
    {
        std::ranges::fill(m_row, ActivityParts{});
        for (const RowSource& source : sources)
            addSliceActivity(m_scene, source, m_axis, m_row);
        for (size_t x = 0; x < m_row.size(); ++x) {
            uint32_t busy = 0;
            for (size_t i = 0; i < kActivities; ++i) {
                busy += m_row[x][i];
                m_all[x][i] = std::max(m_all[x][i], m_row[x][i]);
            }
            m_busy[x] = std::max(m_busy[x], static_cast<uint16_t>(std::min(255u, busy)));
        }
    }

    const Scene& m_scene;
    const PixelScale& m_axis;
    std::vector<ActivityParts> m_row, m_all;
    std::vector<uint16_t> m_busy; // by pixel: 255 if a slice is open all the time
};

// Adds the active memory from a snapshot.
void addGreatestActive(const Scene& scene, const RowSource& source, const PixelScale& scale,
                       std::vector<double>& out)
{
    const ReportMemory& memory = *scene.lods[source.report]->memory();
    const MemoryAxis axis = memory.axis(source.memoryDevice, source.extent);
    const MemoryLod& lod = memory.devices[source.memoryDevice].byCategory;
    for (size_t x = 0; x < out.size(); ++x) {
        const TimeRange pixel = scale.pixelRange(static_cast<int>(x));
        if (pixel.begin > axis.extent.end || pixel.end <= axis.extent.begin) continue;
        const MemoryMoment first = axis.momentAt(pixel.begin);
        const MemoryMoment last = std::max(first, axis.momentAt(pixel.end - Duration{1}, first));
        out[x] = std::max(out[x], static_cast<double>(lod.peakIn(axis.device, first, last).active()));
    }
}

// Returns the maximum of a memory lane, or of a counter lane in bytes; nullopt for other lanes.
std::optional<double> mostBytes(const Scene& scene, const Lane& lane)
{
    if (const auto* const memory = lane.data.as<MemoryLaneData>()) return memory->most_bytes;
    const auto* const counter = lane.data.as<CounterLaneData>();
    if (counter == nullptr) return std::nullopt;
    const RowSource& source = lane.sources.front();
    const Report& report = scene.shown.report(source.report);
    const std::string_view unit = report.strings.at(report.counterTracks[source.counter.value].unit);
    return isByteUnit(unit) ? std::optional(counter->high) : std::nullopt;
}

// For each pixel, returns the maximum in a counter or memory lane; 0 if unknown.
std::vector<double> greatestValues(const Scene& scene, const Lane& lane, const PixelScale& axis)
{
    const auto width = static_cast<size_t>(axis.width());
    std::vector<double> out(width, 0);
    for (const RowSource& source : lane.sources) {
        const Report& report = scene.shown.report(source.report);
        const CounterLod& lod = scene.lods[source.report]->counters();
        const PixelScale scale = axis.onClock(
            [&](TimeRange aligned) { return scene.alignment.map(source.report).traceFromAligned(aligned); });
        if (source.kind == RowSource::Kind::memory) {
            addGreatestActive(scene, source, scale, out);
            continue;
        }
        uint32_t hint = 0;
        for (size_t x = 0; x < width; ++x) {
            const TimeRange pixel = scale.pixelRange(static_cast<int>(x));
            if (pixel.begin > source.extent.end) break;
            const auto known = lod.summarize(report, source.counter, pixel, &hint);
            if (known) out[x] = std::max(out[x], known->max);
        }
    }
    return out;
}

// The loops over the cells of one rank, flat and branch-free for vectorization. cells: pairs of the category
// with the most time and the share of that category. A nonzero share is at least `least`.
[[gnu::always_inline]] inline void fillCellsOf(const uint16_t* __restrict parts, uint32_t least, size_t count,
                                               uint32_t* __restrict sums, uint8_t* __restrict cells)
{
    static_assert(sizeof(HeatCell) == 2 && offsetof(HeatCell, part) == 1 && kActivities == 4);
    constexpr auto kOf = [](size_t i) { return static_cast<uint32_t>(categoryOf(static_cast<Activity>(i))); };
    constexpr auto kNone = static_cast<uint32_t>(SliceCategory::other);
    for (size_t i = 0; i < kActivities * count; ++i)
        sums[i] += parts[i];
    for (size_t x = 0; x < count; ++x) {
        const uint32_t a = parts[4 * x], b = parts[4 * x + 1], c = parts[4 * x + 2], d = parts[4 * x + 3];
        const uint32_t all = std::min(255u, a + b + c + d);
        const uint32_t mostOfTwo = std::max(a, b), mostOfThree = std::max(c, mostOfTwo);
        const uint32_t ofTwo = b > a ? kOf(1) : kOf(0);
        const uint32_t ofThree = c > mostOfTwo ? kOf(2) : ofTwo;
        const uint32_t most = d > mostOfThree ? kOf(3) : ofThree;
        const uint32_t part = least + all * (255 - least) / 255;
        cells[2 * x] = static_cast<uint8_t>(all == 0 ? kNone : most);
        cells[2 * x + 1] = static_cast<uint8_t>(all == 0 ? 0 : part);
    }
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void fillCellsByAvx2(const uint16_t* __restrict parts, uint32_t least, size_t count,
                                             uint32_t* __restrict sums, uint8_t* __restrict cells)
{
    fillCellsOf(parts, least, count, sums, cells);
}
#endif

void fillCells(const uint16_t* __restrict parts, uint32_t least, size_t count, uint32_t* __restrict sums,
               uint8_t* __restrict cells)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) return fillCellsByAvx2(parts, least, count, sums, cells);
#endif
    fillCellsOf(parts, least, count, sums, cells);
}

// Returns how many pixels share a cell.
int pixelsPerCell(const PixelScale& axis, size_t ranks)
{
    if (!axis.isEven()) return 1;
    const size_t pixels = ranks * static_cast<size_t>(axis.width());
    return static_cast<int>((pixels + kMostRankCells - 1) / kMostRankCells);
}

// Returns a linear scale with each `pixels` of its pixels joined into one. The last one may reach beyond the
// end of the range.
PixelScale coarser(const PixelScale& scale, int pixels)
{
    if (pixels <= 1) return scale;
    const int width = (scale.width() + pixels - 1) / pixels;
    const TimeRange range = scale.range();
    const __int128 length = __int128(range.length().ns) * width * pixels / scale.width();
    return PixelScale({range.begin, range.begin + Duration{static_cast<int64_t>(length)}}, width);
}

class CellFill {
  public:
    CellFill(const LaneFrame& frame, const RankMap& map, HeatMap& heat, DisplayRow& row)
        : m_frame(frame), m_map(map), m_heat(heat), m_row(row),
          m_pixels(pixelsPerCell(frame.list.scale, map.ranks().size())),
          m_axis(coarser(frame.list.scale, m_pixels)), m_width(static_cast<size_t>(m_axis.width())),
          m_cells(map.ranks().size() * m_width), m_sums(frame.view.workers.count())
    {
    }

    void run()
    {
        if (m_map.choice().color == RankColor::memory) findMemory();
        m_frame.view.workers.run(m_map.ranks().size(),
                                 [&](size_t rank, size_t worker) { fillRank(rank, worker); });
        sumUp();
        placeLines();
        drawShare();
    }

  private:
    using Sum = std::array<uint32_t, kActivities>;

    void findMemory()
    {
        m_memory.resize(m_map.ranks().size(), nullptr);
        for (size_t i = 0; i < m_memory.size(); ++i) {
            if (m_map.ranks()[i].lane == kNoLane) continue;
            const ProcessMemory memory = processMemory(m_frame.scene, m_map.ranks()[i].lane);
            m_memory[i] = memory.lane;
            m_mostMemory = std::max(m_mostMemory, memory.most_bytes);
        }
    }

    void fillRank(size_t index, size_t worker)
    {
        const std::span<HeatCell> cells(m_cells.data() + index * m_width, m_width);
        const RankMap::Rank& rank = m_map.ranks()[index];
        if (rank.lane == kNoLane) {
            std::ranges::fill(cells, HeatCell{HeatCell::kNoReport, 255});
            return;
        }
        std::vector<ActivityParts>& parts = scratch(worker);
        partsOf(index, parts);
        std::vector<Sum>& sums = m_sums[worker].of;
        sums.resize(m_width);
        const bool isActivity = m_map.choice().color == RankColor::activity;
        fillCells(parts.front().data(), isActivity ? kMinPart : 0, m_width, sums.front().data(),
                  reinterpret_cast<uint8_t*>(cells.data()));
    }

    void partsOf(size_t index, std::vector<ActivityParts>& parts) const
    {
        parts.assign(m_width, ActivityParts{});
        const RankMap::Rank& rank = m_map.ranks()[index];
        switch (m_map.choice().color) {
        case RankColor::activity:
            return addActivities(m_frame.scene, rank.lane, m_axis, parts);
        case RankColor::busy:
            addActivities(m_frame.scene, rank.lane, m_axis, parts);
            for (ActivityParts& part : parts)
                part = {static_cast<uint16_t>(std::min(255, part[0] + part[1] + part[2] + part[3]))};
            return;
        case RankColor::waiting:
            return addWaits(rank.lane, parts);
        case RankColor::memory:
            return addMemory(index, parts);
        }
    }

    void addWaits(uint32_t lane, std::vector<ActivityParts>& parts) const
    {
        for (const auto& [report, process] : m_frame.laneAt(lane).data.as<ProcessLaneData>()->members) {
            const RankLate* const late = m_frame.scene.lateness->of(report, process);
            if (late == nullptr) continue;
            forEachEven(
                coarser(m_frame.scales[report], m_pixels), std::span(parts),
                [&](TimeRange range, std::span<ActivityParts> some) { late->waits.addTo(range, some); });
        }
    }

    void addMemory(size_t index, std::vector<ActivityParts>& parts) const
    {
        if (m_memory[index] == nullptr || m_mostMemory <= 0) return;
        const std::vector<double> bytes = greatestValues(m_frame.scene, *m_memory[index], m_axis);
        for (size_t x = 0; x < m_width; ++x) {
            const double part = std::clamp(bytes[x] / m_mostMemory * 255, 0.0, 255.0);
            parts[x][static_cast<size_t>(Activity::other)] = static_cast<uint16_t>(part);
        }
    }

    std::vector<ActivityParts>& scratch(size_t worker) { return m_sums[worker].parts; }

    void sumUp()
    {
        m_total.resize(m_width);
        for (const Worker& worker : m_sums) {
            for (size_t x = 0; x < worker.of.size(); ++x) {
                for (size_t i = 0; i < kActivities; ++i)
                    m_total[x][i] += worker.of[x][i];
            }
        }
    }

    // If ranks share a line, the one that differs most from the others is shown, because an average would
    // hide it.
    void placeLines()
    {
        const auto& lines = m_map.lines();
        const int top = m_row.height - m_map.height();
        m_heat.width = m_frame.width();
        m_heat.lines.clear();
        for (const RankMap::Line& line : lines)
            m_heat.lines.push_back({top + line.top, top + line.bottom, line.isOutlier});
        m_heat.cells.resize(lines.size() * static_cast<size_t>(m_heat.width));
        std::vector<HeatCell> typical(m_width);
        const auto ranks = static_cast<uint32_t>(std::max<size_t>(1, m_map.ranks().size() - m_map.missing()));
        for (size_t x = 0; x < m_width; ++x) {
            const auto most = std::ranges::max_element(m_total[x]) - m_total[x].begin();
            const uint32_t all = m_total[x][0] + m_total[x][1] + m_total[x][2] + m_total[x][3];
            typical[x] = {categoryOf(static_cast<Activity>(most)),
                          static_cast<uint8_t>(std::min(255u, all / ranks))};
        }
        m_frame.view.workers.run(lines.size(),
                                 [&](size_t line, size_t) { placeLine(lines[line], line, typical); });
    }

    void placeLine(const RankMap::Line& line, size_t index, const std::vector<HeatCell>& typical)
    {
        const HeatCell* const first = m_cells.data() + line.first * m_width;
        std::vector<HeatCell> out(first, first + m_width);
        const auto distance = [&](HeatCell cell, size_t x) {
            if (cell.category == HeatCell::kNoReport) return 1'000;
            const bool differs = cell.part > 0 && cell.category != typical[x].category;
            return std::abs(cell.part - typical[x].part) + (differs ? 128 : 0);
        };
        for (uint32_t rank = 1; rank < line.count; ++rank) {
            const HeatCell* const other = first + rank * m_width;
            for (size_t x = 0; x < m_width; ++x) {
                if (other[x] != out[x] && distance(other[x], x) > distance(out[x], x)) out[x] = other[x];
            }
        }
        const auto width = static_cast<size_t>(m_heat.width), pixels = static_cast<size_t>(m_pixels);
        HeatCell* const shown = m_heat.cells.data() + index * width;
        for (size_t x = 0; x < width; ++x)
            shown[x] = out[x / pixels];
    }

    // Activities are stacked from the bottom; the rest is idle.
    void drawShare()
    {
        const int height = m_row.height - m_map.height() - m_frame.metrics.line;
        const auto whole = static_cast<double>(255 * std::max<size_t>(1, m_map.ranks().size()));
        std::array<size_t, kActivities> last;
        last.fill(SIZE_MAX);
        for (size_t x = 0; x < m_width; ++x) {
            double below = 0;
            for (size_t i = 0; i < kActivities; ++i) {
                const int bottom = height - static_cast<int>(below / whole * height);
                below = std::min(whole, below + m_total[x][i]);
                const int top = height - static_cast<int>(below / whole * height);
                const size_t left = x * static_cast<size_t>(m_pixels);
                const size_t right = left + static_cast<size_t>(m_pixels);
                Span span{static_cast<uint16_t>(left),
                          static_cast<uint16_t>(std::min(right, static_cast<size_t>(m_heat.width))),
                          static_cast<uint16_t>(top),
                          static_cast<uint16_t>(bottom),
                          {}};
                span.ink.kind = Ink::Kind::busy;
                span.ink.category = categoryOf(static_cast<Activity>(i));
                if (top < bottom) addMerged(m_row.spans, span, last[i]);
            }
        }
    }

    struct Worker {
        std::vector<Sum> of;
        std::vector<ActivityParts> parts;
    };

    const LaneFrame& m_frame;
    const RankMap& m_map;
    HeatMap& m_heat;
    DisplayRow& m_row;
    const int m_pixels; // per cell
    const PixelScale m_axis;
    const size_t m_width;          // cells per rank
    std::vector<HeatCell> m_cells; // by rank
    std::vector<Worker> m_sums;
    std::vector<Sum> m_total;
    std::vector<const Lane*> m_memory; // by rank
    double m_mostMemory = 0;
};

} // namespace

void addActivities(const Scene& scene, uint32_t process, const PixelScale& axis,
                   std::span<ActivityParts> parts)
{
    const std::vector<RowSource>& sources = scene.tree->lane(process).summary;
    const auto isBusy = [](const RowSource& source) { return source.kind == RowSource::Kind::busy; };
    if (sources.empty()) return;
    if (!std::ranges::all_of(sources, isBusy)) return SliceActivity(scene, axis).addTo(parts, process);
    uint16_t rowCount = 0;
    for (const RowSource& source : sources) {
        addActivity(scene, source, axis, parts);
        rowCount = std::max(rowCount, static_cast<uint16_t>(source.row + 1));
    }
    if (rowCount < 2) return;
    for (ActivityParts& part : parts) {
        for (uint16_t& of : part)
            of = static_cast<uint16_t>((of + rowCount - 1) / rowCount);
    }
}

ProcessMemory processMemory(const Scene& scene, uint32_t process)
{
    ProcessMemory best;
    std::vector<uint32_t> pending{process};
    while (!pending.empty()) {
        const uint32_t index = pending.back();
        const Lane& lane = scene.tree->lane(index);
        pending.pop_back();
        for (const uint32_t child : scene.tree->childrenOf(index))
            pending.push_back(child);
        const std::optional<double> most_bytes = mostBytes(scene, lane);
        if (most_bytes && (best.lane == nullptr || *most_bytes > best.most_bytes))
            best = {&lane, *most_bytes};
    }
    return best;
}

std::optional<double> memoryOf(const Scene& scene, uint32_t process, TimeRange visible)
{
    const Lane* const lane = processMemory(scene, process).lane;
    if (lane == nullptr) return std::nullopt;
    return greatestValues(scene, *lane, PixelScale(visible, 1)).front();
}

void fillRankMap(const LaneFrame& frame, const RankMap& map, HeatMap& heat, DisplayRow& row)
{
    CellFill(frame, map, heat, row).run();
}

} // namespace lockstep
