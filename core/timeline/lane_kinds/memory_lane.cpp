// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/lane_kinds/memory_lane.h"

#include <algorithm>
#include <ostream>

#include "core/base/text.h"
#include "core/lanes/lane_label.h"
#include "core/lanes/memory_lanes.h"
#include "core/timeline/lane_kinds/memory_columns.h"
#include "core/timeline/lane_kinds/memory_legend.h"
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
