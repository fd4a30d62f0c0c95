// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/lane_kinds/memory_lane.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ostream>

#include "core/base/text.h"
#include "core/lanes/lane_label.h"
#include "core/lanes/memory_lanes.h"
#include "core/timeline/elide.h"
#include "core/timeline/lane_kinds/memory_columns.h"
#include "core/timeline/lane_kinds/registry.h"

namespace lockstep {

namespace {

class MemoryLane final : public LaneKind {
  public:
    std::string_view name() const override { return "memory"; }
    bool handles(const Lane& lane, bool isCollapsed) const override;
    int height(const PlacedLane& placed, const FrameMetrics& metrics) const override;
    bool hasRows() const override { return false; }
    void place(LaneFrame& frame, const LanePlace& place) const override;
    void fill(const LaneFrame& frame, const RowJob& job, DisplayRow& row) const override;
    void draw(const FrameMetrics& metrics, DisplayRow& row) const override;
    bool followsCursor() const override { return true; }
    std::vector<RowAlarm> alarms(const Scene& scene, const DisplayRow& row) const override;
    int endOf(const DisplayRow& row) const override;
    void separate(int x, DisplayRow& earlier, DisplayRow& later) const override;
    bool hit(const DisplayRow& row, int x, int y, Hit& hit) const override;
    std::vector<std::string> hover(const Scene& scene, const DisplayList& list,
                                   const Hit& hit) const override;
    bool matchesName(const Lane& lane, const NameMatcher& isMatch) const override;
    void write(std::ostream& out, const DisplayRow& row) const override;
};

// Memory legend: the header of a memory lane, with one row per area and its bytes at the cursor or at the
// visible peak, and the scale values at the right edge. Part of MemoryLane. Pure. O(strides in view).

// The same unit is used for all rows, so that the values are comparable.
struct ByteUnit {
    double size_bytes = 1;
    std::string_view name = "B";

    explicit ByteUnit(double largest)
    {
        static constexpr std::array<std::string_view, 5> kNames{"B", "KiB", "MiB", "GiB", "TiB"};
        for (size_t i = 1; i < kNames.size() && largest >= size_bytes * 1024; ++i) {
            size_bytes *= 1024;
            name = kNames[i];
        }
    }
    std::string text(int64_t value) const
    {
        if (value == 0) return "0";
        std::array<char, 32> out{};
        const int digits = size_bytes > 1 ? 1 : 0;
        std::snprintf(out.data(), out.size(), "%.*f", digits, static_cast<double>(value) / size_bytes);
        return out.data();
    }
};

// The values in the rows: the groups of one history at one point in time.
struct LegendMoment {
    MemoryPlace place;
    GroupBytes bytes{};
    int64_t reserved = 0;
    std::string_view when; // "at the cursor", "at the peak"
};

class MemoryLegend {
  public:
    MemoryLegend(LaneFrame& frame, const LanePlace& place)
        : m_frame(frame), m_place(place), m_lane(frame.laneAt(place.lane.lane)), m_metrics(frame.metrics),
          m_out(frame.list.lanes.back()), m_unit(m_lane.data.as<MemoryLaneData>()->most_bytes),
          m_look(frame.list.memoryLook)
    {
        m_left = m_out.indent + m_metrics.triangle;
        m_right = frame.list.headerWidth - m_metrics.headerPadding;
    }

    void run()
    {
        const auto moment = momentShown();
        if (m_place.lane.isCollapsed) return addFolded(moment);
        if (!moment) return;
        addTitle(*moment);
        int y = m_place.y + m_metrics.rowHeight;
        Ink outline;
        outline.kind = Ink::Kind::outline;
        if (moment->place.device().segments.isKnown) addRow(y, "reserved", moment->reserved, outline);
        const MemoryLod& lod = levelsOf(moment->place);
        std::vector<uint8_t> groups; // from the top
        for (size_t group = kMemoryGroups; group-- > 0;) {
            if (lod.most()[group] > 0) groups.push_back(static_cast<uint8_t>(group));
        }
        const int bottom = m_place.y + m_place.lane.height;
        const auto room = static_cast<size_t>(std::max(0, (bottom - y) / m_metrics.legendRow));
        // Groups for which there is no room share one row, so that no group is omitted without a hint.
        int64_t others = 0;
        size_t merged = 0;
        if (groups.size() > room && room > 0) {
            merged = groups.size() - room + 1;
            for (size_t i = 0; i < merged; ++i)
                others += moment->bytes[groups[i]];
            addRow(y, std::to_string(merged) + " others", others,
                   memoryInk(moment->place, groups[merged - 1], m_look));
        }
        for (size_t i = merged; i < groups.size() && room > 0; ++i)
            addRow(y, memoryGroupName(moment->place, groups[i], m_look), moment->bytes[groups[i]],
                   memoryInk(moment->place, groups[i], m_look));
    }

  private:
    // Adds the title, which is shortened if the lane name needs the space.
    void addTitle(const LegendMoment& moment)
    {
        const auto widthOf = [&](const std::string& text) { return m_frame.view.font->widthOf(text); };
        const auto room = static_cast<float>(m_right - m_left - m_metrics.headerPadding);
        const std::string when = std::string(moment.when) + ", " + std::string(m_unit.name);
        m_out.value = widthOf(when) + widthOf(m_lane.label) <= room ? when : std::string(m_unit.name);
        m_out.label = elideEnd(m_lane.label, room - widthOf(m_out.value), *m_frame.view.font);
    }

    const MemoryLod& levelsOf(const MemoryPlace& place) const
    {
        return m_look == MemoryLook::stack ? place.levels().byStack : place.levels().byCategory;
    }

    // Returns the time at the cursor if it is over a history of the lane, otherwise the time of the visible
    // peak.
    std::optional<LegendMoment> momentShown() const
    {
        std::optional<LegendMoment> best;
        int64_t most = -1;
        for (const RowSource& source : m_lane.sources) {
            const auto place = memoryPlaceOf(m_frame.scene, m_place.lane.lane, source.report);
            if (!place) continue;
            const MemoryAxis axis = place->axis();
            const MemoryLod& lod = levelsOf(*place);
            if (!m_frame.reachesView(source)) continue;
            const PixelScale& scale = m_frame.scales[source.report];
            TimeRange range = scale.range();
            bool isAtCursor = false;
            if (m_frame.view.cursor) {
                const TraceTime at = place->map->traceFromAligned(*m_frame.view.cursor);
                isAtCursor = axis.covers(at) && range.contains(at);
                if (isAtCursor) range = scale.pixelRange(scale.pixelOf(at)); // the drawn range
            }
            const MemoryMoment first = axis.momentAt(range.begin);
            const MemoryMoment last = std::max(first, axis.momentAt(range.end - Duration{1}, first));
            const GroupPeak peak = lod.peakIn(axis.device, first, last);
            const LegendMoment shown{*place, peak.bytes, axis.device.segments.reservedAt(peak.moment),
                                     isAtCursor ? "at the cursor" : "at the peak"};
            if (isAtCursor) return shown;
            if (peak.active() <= most) continue;
            most = peak.active();
            best = shown;
        }
        return best;
    }

    void addRow(int& y, const std::string& name, int64_t size_bytes, const Ink& ink)
    {
        const std::string value = m_unit.text(size_bytes);
        const int width = static_cast<int>(std::ceil(m_frame.view.font->widthOf(value)));
        const int swatch = m_metrics.triangle;
        LaneText& label = m_out.texts.emplace_back();
        label.x = m_left + m_metrics.labelPadding;
        label.y = y;
        label.width = m_right - width - m_metrics.headerPadding - label.x;
        label.height = m_metrics.legendRow;
        label.text = elideEnd(name, static_cast<float>(label.width - swatch), *m_frame.view.font);
        label.ink = ink;
        label.tone = LaneText::Tone::plain;
        LaneText& number = m_out.texts.emplace_back();
        number.x = m_right - width;
        number.y = y;
        number.width = width;
        number.height = m_metrics.legendRow;
        number.text = value;
        number.align = LaneText::Align::right;
        number.tone = LaneText::Tone::plain;
        y += m_metrics.legendRow;
    }

    // Adds a single line below the name, for lanes that have no room for rows.
    void addFolded(const std::optional<LegendMoment>& moment)
    {
        if (!moment) return;
        int64_t active = 0;
        for (const int64_t size : moment->bytes)
            active += size;
        m_out.value = m_unit.text(active) + " " + std::string(m_unit.name);
        LaneText& line = m_out.texts.emplace_back();
        line.x = m_left;
        line.y = m_place.y + m_metrics.rowHeight;
        line.width = m_right - m_left;
        line.height = m_metrics.legendRow;
        const std::string reserved = moment->place.device().segments.isKnown
                                         ? "reserved " + m_unit.text(moment->reserved) + ", "
                                         : std::string();
        line.text = elideEnd(reserved + std::string(moment->when), static_cast<float>(line.width),
                             *m_frame.view.font);
    }

    LaneFrame& m_frame;
    const LanePlace& m_place;
    const Lane& m_lane;
    const FrameMetrics& m_metrics;
    DisplayLane& m_out;
    ByteUnit m_unit;
    MemoryLook m_look;
    int m_left = 0, m_right = 0;
};

// Adds the legend to the lane that was placed last.
void addMemoryLegend(LaneFrame& frame, const LanePlace& place)
{
    MemoryLegend(frame, place).run();
}

void addMemoryScale(LaneFrame& frame, const LanePlace& place)
{
    const FrameMetrics& metrics = frame.metrics;
    const double top = memoryScaleTop(frame.laneAt(place.lane.lane));
    const int height = place.lane.height - metrics.line;
    std::vector<double> ticks = memoryTicks(top);
    if (place.lane.isCollapsed) ticks.erase(ticks.begin(), ticks.end() - (ticks.empty() ? 0 : 1));
    for (const double tick : ticks) {
        LaneText& chip = frame.list.lanes.back().texts.emplace_back();
        chip.text = byteText(std::llround(tick));
        const int width = static_cast<int>(std::ceil(frame.view.font->widthOf(chip.text)));
        chip.width = width + 2 * metrics.labelPadding;
        chip.height = metrics.chip;
        chip.x = frame.list.size.width - chip.width - metrics.labelPadding;
        const int y = place.y + memoryHeightOf(tick, top, height, metrics) - metrics.chip / 2;
        chip.y = std::clamp(y, place.y, std::max(place.y, place.y + height - metrics.chip));
        chip.isChip = true;
        chip.align = LaneText::Align::right;
    }
}

constexpr size_t kMaxFrames = 6; // maximum number per hover card

// Lists the recorded levels.
std::string levelsText(const MemoryPlace& place, MemoryMoment moment)
{
    const MemoryLevels levels = place.device().levelsAt(moment);
    std::string text = "active " + byteText(levels.active);
    if (place.report->memory->recording(place.device().device).hasRequested)
        text += ", requested " + byteText(levels.requested);
    if (!place.device().segments.isKnown) return text;
    return text + ", reserved " + byteText(levels.reserved) + ", free in pool " + byteText(levels.unused());
}

std::string momentText(const MemoryPlace& place, MemoryMoment moment)
{
    const MemoryAxis axis = place.axis();
    const std::string entry = "entry " + groupedText(moment) + " of " + groupedText(axis.device.lastMoment());
    if (axis.device.rows.empty()) return "state at the dump: no history for this device";
    if (axis.isByIndex()) return entry + ", by index: the file has no times";
    return "at " + durationText(place.timeOf(moment) - TraceTime{0}, 9) + ", " + entry;
}

// Describes the age of a block at a given time, and the block's lifetime.
std::string ageText(const MemoryPlace& place, BlockLifeId life, MemoryMoment moment)
{
    const BlockLifeTable& blocks = place.device().blocks;
    const MemoryAxis axis = place.axis();
    const bool isOld = blocks.isPreexisting(life.value);
    if (axis.device.rows.empty()) return "age unknown";
    if (axis.isByIndex())
        return (isOld ? "older than " : "") + groupedText(moment - blocks.allocated[life.value]) +
               " entries old";
    const Duration age = axis.timeOf(moment) - axis.timeOf(blocks.allocated[life.value]);
    std::string text = (isOld ? "older than " : "") + durationText(age) + " old";
    if (blocks.isNeverFreed(life.value)) return text + ", not freed";
    if (!isOld) text += ", lifetime " + durationText(lifeOf(place, life)->length());
    return text;
}

// Returns "OOM, 2.0 GiB requested" for "out of memory: 2.0 GiB requested" (or " asked" in files from earlier
// versions).
std::string alarmText(std::string_view name)
{
    constexpr std::string_view kBefore = "out of memory: ";
    if (!name.starts_with(kBefore)) return "OOM";
    name.remove_prefix(kBefore.size());
    for (const std::string_view after : {" requested", " asked"}) {
        if (!name.ends_with(after)) continue;
        name.remove_suffix(after.size());
        return "OOM, " + std::string(name) + " requested";
    }
    return "OOM";
}

std::vector<std::string> instantLines(const Scene& scene, const Hit& hit)
{
    const Report& report = scene.shown.report(hit.slice.report);
    std::vector<std::string> lines{std::string(report.nameOf(hit.slice.slice))};
    const TraceTime at =
        scene.alignment.map(hit.slice.report).alignedFromTrace(report.slices.start(hit.slice.slice));
    lines.push_back("at " + durationText(at - TraceTime{0}, 9));
    if (!report.slices.isInstant(hit.slice.slice))
        lines.push_back("duration " + durationText(report.slices.duration(hit.slice.slice)));
    return lines;
}

} // namespace

BlockRef blockAt(const Scene& scene, const DisplayList& list, const Hit& hit)
{
    const auto* const data = hit.data.as<MemoryHitData>();
    const auto place = data == nullptr ? std::nullopt : memoryPlaceOf(scene, hit.lane, hit.track.report);
    const auto life = place ? largestBlock(*place, data->moment, data->group, list.memoryLook) : std::nullopt;
    return life ? BlockRef{hit.track.report, place->source->memoryDevice, *life} : BlockRef();
}

bool MemoryLane::handles(const Lane& lane, bool) const
{
    return lane.data.is<MemoryLaneData>();
}

int MemoryLane::height(const PlacedLane& placed, const FrameMetrics& metrics) const
{
    if (placed.isCollapsed) return metrics.memoryFolded;
    return std::max(metrics.memoryHeight, metrics.rowHeight +
                                              static_cast<int>(placed.rowsShown) * metrics.legendRow +
                                              2 * metrics.line);
}

void MemoryLane::place(LaneFrame& frame, const LanePlace& place) const
{
    const std::vector<RowSource>& sources = frame.laneAt(place.lane.lane).sources;
    addMemoryLegend(frame, place);
    addMemoryScale(frame, place);
    for (size_t i = 0; i < sources.size(); ++i) {
        // Places at least one row so that the lane receives clicks.
        if (i > 0 && !frame.reachesView(sources[i])) continue;
        DisplayRow& row = addRow(frame, place, place.y, place.lane.height - frame.metrics.line);
        row.track = {sources[i].report, {}};
        addJob(frame, place, {&sources[i], 1});
    }
}

void MemoryLane::fill(const LaneFrame& frame, const RowJob& job, DisplayRow& row) const
{
    MemoryRowData& data = row.data.ensure<MemoryRowData>();
    data = {};
    const auto place = memoryPlaceOf(frame.scene, job.lane(), job.sources.front().report);
    if (!place) return;
    // Grid lines are below everything else, so the first history on a lane draws them.
    const Lane& lane = frame.laneAt(job.lane());
    if (&job.sources.front() == lane.sources.data()) {
        const double top = memoryScaleTop(lane);
        for (const double tick : memoryTicks(top))
            data.ticks.push_back(static_cast<uint16_t>(memoryHeightOf(tick, top, row.height, frame.metrics)));
    }
    fillMemoryColumns(frame, *place, row.height, data);
    fillMemoryMarks(frame, *place, data);
    for (uint8_t group = 0; group < kMemoryGroups; ++group)
        data.inks[group] = memoryInk(*place, group, frame.list.memoryLook);
    fillMemoryLabels(frame, *place, data, row);
    data.width = frame.width();
}

void MemoryLane::draw(const FrameMetrics& metrics, DisplayRow& row) const
{
    const auto spanOf = [](int begin, int end, int top, int bottom, Ink ink) {
        return Span{static_cast<uint16_t>(begin), static_cast<uint16_t>(end), static_cast<uint16_t>(top),
                    static_cast<uint16_t>(bottom), ink};
    };
    const auto inkOf = [](Ink::Kind kind) {
        Ink ink;
        ink.kind = kind;
        return ink;
    };
    const MemoryRowData& data = *row.data.as<MemoryRowData>();
    row.hasAreas = !data.columns.empty();
    for (const uint16_t tick : data.ticks)
        row.spans.push_back(spanOf(0, data.width, tick, tick + metrics.line, inkOf(Ink::Kind::grid)));
    std::array<size_t, kMemoryGroups> last;
    last.fill(SIZE_MAX);
    for (const MemoryColumnShape& column : data.columns) {
        int bottom = row.height;
        for (size_t group = 0; group < kMemoryGroups; ++group) {
            const int top = column.tops[group];
            if (top < bottom)
                addMerged(row.spans, spanOf(column.x, column.x + 1, top, bottom, data.inks[group]),
                          last[group]);
            bottom = top;
        }
    }
    const Ink outline = inkOf(Ink::Kind::outline);
    size_t lastLine = SIZE_MAX;
    const MemoryColumnShape* before = nullptr;
    for (const MemoryColumnShape& column : data.columns) {
        if (column.outline == kNoOutline) {
            before = nullptr;
            continue;
        }
        int top = std::min<int>(column.outline, row.height - metrics.line), bottom = top + metrics.line;
        if (before != nullptr && before->x + 1 == column.x) {
            top = std::min<int>(top, before->outline);
            bottom = std::min<int>(row.height, std::max<int>(bottom, before->outline + metrics.line));
        }
        addMerged(row.spans, spanOf(column.x, column.x + 1, top, bottom, outline), lastLine);
        before = &column;
    }
    for (const MemoryMark& mark : data.marks) {
        const int width = mark.isAlarm ? metrics.pole : metrics.line;
        row.spans.push_back(spanOf(mark.x, std::min(data.width, mark.x + width), 0, row.height,
                                   inkOf(mark.isAlarm ? Ink::Kind::alarm : Ink::Kind::moment)));
    }
}

std::vector<RowAlarm> MemoryLane::alarms(const Scene& scene, const DisplayRow& row) const
{
    std::vector<RowAlarm> out;
    const auto* const data = row.data.as<MemoryRowData>();
    if (data == nullptr || data->columns.empty()) return out;
    for (const MemoryMark& mark : data->marks) {
        if (mark.isAlarm)
            out.push_back(
                {mark.x, mark.slice, alarmText(scene.shown.report(row.track.report).nameOf(mark.slice))});
    }
    return out;
}

int MemoryLane::endOf(const DisplayRow& row) const
{
    const auto* const data = row.data.as<MemoryRowData>();
    return data == nullptr || data->columns.empty() ? 0 : data->columns.back().x + 1;
}

// If two histories meet in a pixel, the one with more active memory is shown.
void MemoryLane::separate(int x, DisplayRow& earlier, DisplayRow& later) const
{
    auto* const last = earlier.data.as<MemoryRowData>();
    auto* const first = later.data.as<MemoryRowData>();
    if (first == nullptr || first->columns.empty() || first->columns.front().x != x) return;
    if (first->columns.front().tops.back() < last->columns.back().tops.back()) {
        last->columns.pop_back();
    } else {
        first->columns.erase(first->columns.begin());
    }
}

bool MemoryLane::hit(const DisplayRow& row, int x, int y, Hit& hit) const
{
    const auto* const data = row.data.as<MemoryRowData>();
    if (data == nullptr) return false;
    const auto isAt = [x](const MemoryMark& mark) { return mark.x == x || mark.x + 1 == x; };
    const auto mark = std::ranges::find_if(data->marks, isAt);
    if (mark != data->marks.end()) {
        hit.part = Hit::Part::box;
        hit.slice = {row.track.report, mark->slice};
        hit.x = x;
        hit.count = 1;
        return true;
    }
    const auto column = std::ranges::lower_bound(data->columns, x, {}, &MemoryColumnShape::x);
    if (column == data->columns.end() || column->x != x) return false;
    hit.part = Hit::Part::shape;
    hit.x = x;
    MemoryHitData found;
    found.moment = column->moment;
    for (uint8_t group = 0; group < kMemoryGroups && found.group == kMemoryGroups; ++group) {
        if (y - row.y >= column->tops[group]) found.group = group;
    }
    hit.data.set(found);
    return true;
}

std::vector<std::string> MemoryLane::hover(const Scene& scene, const DisplayList& list, const Hit& hit) const
{
    if (hit.slice.isValid() && scene.holds(hit.slice)) return instantLines(scene, hit);
    const auto place = memoryPlaceOf(scene, hit.lane, hit.track.report);
    const auto* const data = hit.data.as<MemoryHitData>();
    if (data == nullptr || !place) return {};
    std::vector<std::string> lines{scene.tree->pathOf(hit.lane), momentText(*place, data->moment),
                                   levelsText(*place, data->moment)};
    if (!place->map->isPlaced()) lines.push_back("clock not aligned");
    const MemoryLook look = list.memoryLook;
    if (data->group < kMemoryGroups) {
        const MemoryLod& lod =
            look == MemoryLook::stack ? place->levels().byStack : place->levels().byCategory;
        lines.push_back(memoryGroupName(*place, data->group, look) + ": " +
                        byteText(lod.at(place->device(), data->moment)[data->group]));
    } else {
        lines.push_back("cursor above the active memory; all active memory counts");
    }
    const auto life = largestBlock(*place, data->moment, data->group, look);
    if (!life) return lines;
    const BlockLifeTable& blocks = place->device().blocks;
    lines.push_back("largest block: " + byteText(static_cast<int64_t>(blocks.size_bytes[life->value])) +
                    ", " + ageText(*place, *life, data->moment));
    for (std::string& line : stackLines(*place, blocks.stack[life->value], kMaxFrames))
        lines.push_back("  " + std::move(line));
    return lines;
}

bool MemoryLane::matchesName(const Lane& lane, const NameMatcher& isMatch) const
{
    return isMatch(lane.label);
}

void MemoryLane::write(std::ostream& out, const DisplayRow& row) const
{
    const auto* const data = row.data.as<MemoryRowData>();
    if (data == nullptr) return;
    const MemoryColumnShape* before = nullptr;
    for (const MemoryColumnShape& column : data->columns) {
        const bool continues = before != nullptr && before->x + 1 == column.x && before->hasSameShape(column);
        if (!continues) {
            out << "    ^ " << column.x << " moment " << column.moment << " reserved " << column.outline
                << " areas";
            for (const uint16_t top : column.tops)
                out << ' ' << top;
            out << '\n';
        }
        before = &column;
    }
    if (before != nullptr) out << "    ^ " << before->x + 1 << " end\n";
    for (const MemoryMark& mark : data->marks)
        out << "    ! " << mark.x << (mark.isAlarm ? " alarm" : "") << '\n';
    for (const RowLabel& label : row.labels)
        out << "    @ " << label.x << ',' << label.y << ' '
            << std::string_view(row.text).substr(label.label, label.labelLength) << '\n';
}

const LaneKind& memoryLane()
{
    static const MemoryLane kLane{};
    return kLane;
}

} // namespace lockstep
