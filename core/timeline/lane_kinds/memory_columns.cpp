// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/lane_kinds/memory_columns.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/lanes/memory_lanes.h"

namespace lockstep {

namespace {

constexpr double kHeadroom = 1.06;    // factor by which the scale exceeds the highest value
constexpr uint32_t kNoStackShade = 5; // lightest level, used for an unknown stack
constexpr int kGapOfMarks = 3;        // minimum distance in pixels between marks other than alarms

// Finds the maximum reserved memory in ranges of entries, which must be ascending.
class ReservedWalk {
  public:
    explicit ReservedWalk(const SegmentHistory& history) : m_changes(history.reserved_bytes) {}

    int64_t mostIn(MemoryMoment first, MemoryMoment last)
    {
        using Change = std::pair<MemoryMoment, int64_t>;
        const auto from = m_changes.begin() + static_cast<ptrdiff_t>(m_next);
        const auto after = std::ranges::upper_bound(from, m_changes.end(), first, {}, &Change::first);
        m_next = static_cast<size_t>(after - m_changes.begin());
        int64_t most = m_next == 0 ? 0 : m_changes[m_next - 1].second;
        for (size_t i = m_next; i < m_changes.size() && m_changes[i].first <= last; ++i)
            most = std::max(most, m_changes[i].second);
        return most;
    }

  private:
    const std::vector<std::pair<MemoryMoment, int64_t>>& m_changes;
    size_t m_next = 0;
};

bool isOfDevice(const Report& report, const Track& track, int32_t device)
{
    if (track.key.kind != TrackKind::memoryEvents || !report.memory->isOfAllocator()) return false;
    if (!track.key.device.isValid()) return device == kHostMemory;
    return report.devices[track.key.device.value].ordinal == device;
}

// The label position for an area: in the longest stretch in which the area is at least as high as the label.
struct Stretch {
    int begin = 0, end = 0;  // pixels
    int top = 0, bottom = 0; // vertical range that the area covers in all of its columns
    int width() const { return end - begin; }
};

Stretch longestStretch(const MemoryRowData& row, int rowHeight, size_t group, int height)
{
    Stretch best, now;
    for (const MemoryColumnShape& column : row.columns) {
        const int top = column.tops[group];
        const int bottom = group == 0 ? rowHeight : column.tops[group - 1];
        const bool continues =
            now.end == column.x && std::min(now.bottom, bottom) - std::max(now.top, top) >= height;
        if (continues) {
            now = {now.begin, column.x + 1, std::max(now.top, top), std::min(now.bottom, bottom)};
        } else {
            now = {column.x, column.x + 1, top, bottom};
            if (bottom - top < height) now.end = now.begin;
        }
        if (now.width() > best.width()) best = now;
    }
    return best;
}

// Returns the center of the stretch. If a mark crosses the center, returns a position next to the mark if
// there is room.
int centerAwayFromMarks(const MemoryRowData& row, const Stretch& stretch, int half)
{
    const int middle = (stretch.begin + stretch.end) / 2;
    for (const MemoryMark& mark : row.marks) {
        if (std::abs(mark.x - middle) > half) continue;
        if (mark.x - 2 * half >= stretch.begin) return mark.x - half;
        if (mark.x + 2 * half <= stretch.end) return mark.x + half;
    }
    return middle;
}

} // namespace

double memoryScaleTop(const Lane& lane)
{
    return std::max(1.0, lane.data.as<MemoryLaneData>()->most_bytes * kHeadroom);
}

std::vector<double> memoryTicks(double top)
{
    if (top < 16) return {}; // there are no scale values
    // Finds the largest round step that fits at least twice.
    double unit = 1;
    while (unit * 1024 <= top)
        unit *= 1024;
    const double most = top / 2 / unit;
    const double power = std::pow(10.0, std::floor(std::log10(most)));
    double step = power;
    for (const double factor : {2.0, 4.0, 5.0}) {
        if (factor * power <= most) step = factor * power;
    }
    if (step < 1) step = step >= 0.5 ? 0.5 : 0.25;
    std::vector<double> out;
    for (double at = step * unit; at <= top && out.size() < 4; at += step * unit)
        out.push_back(at);
    return out;
}

int memoryHeightOf(double size_bytes, double top, int height, const FrameMetrics& metrics)
{
    const int room = height - metrics.line;
    const auto up = static_cast<int>(std::lround(std::clamp(size_bytes / top, 0.0, 1.0) * room));
    return height - up;
}

Ink memoryInk(const MemoryPlace& place, uint8_t group, MemoryLook look)
{
    Ink ink;
    ink.kind = Ink::Kind::memory;
    ink.category = memoryGroupColor(place, group, look);
    if (look == MemoryLook::stack) {
        ink.value = group; // adjacent areas have different lightness
    } else if (static_cast<MemoryCategory>(group) == MemoryCategory::noStack) {
        ink.value = kNoStackShade;
    }
    return ink;
}

void fillMemoryColumns(const LaneFrame& frame, const MemoryPlace& place, int height, MemoryRowData& out)
{
    const PixelScale& scale = frame.scales[place.source->report];
    const MemoryAxis axis = place.axis();
    if (axis.extent.end < scale.range().begin || axis.extent.begin >= scale.range().end) return;
    const DeviceReplay& device = axis.device;
    const MemoryLod& lod =
        frame.list.memoryLook == MemoryLook::stack ? place.levels().byStack : place.levels().byCategory;
    const double top = memoryScaleTop(frame.laneAt(place.lane));
    const auto heightOf = [&](int64_t size_bytes) {
        return static_cast<uint16_t>(
            memoryHeightOf(static_cast<double>(size_bytes), top, height, frame.metrics));
    };
    ReservedWalk reserved(device.segments);
    const int begin = scale.pixelOf(axis.extent.begin);
    const int end = std::min(frame.width(), scale.pixelOf(axis.extent.end) + 1);
    out.columns.reserve(static_cast<size_t>(std::max(0, end - begin)));
    MemoryMoment shownFirst = kNeverFreed, shownLast = kNeverFreed, hint = 0;
    for (int x = begin; x < end; ++x) {
        const TimeRange pixel = scale.pixelRange(x);
        const MemoryMoment first = axis.momentAt(pixel.begin, hint);
        const MemoryMoment last = axis.momentAt(std::max(pixel.begin, pixel.end - Duration{1}), first);
        hint = last;
        MemoryColumnShape& shape = out.columns.emplace_back();
        if (first == shownFirst && last == shownLast) shape = out.columns[out.columns.size() - 2];
        shape.x = static_cast<uint16_t>(x);
        if (first == shownFirst && last == shownLast) continue;
        shownFirst = first;
        shownLast = last;
        const GroupPeak peak = lod.peakIn(device, first, last);
        shape.moment = peak.moment;
        shape.outline = device.segments.isKnown ? heightOf(reserved.mostIn(first, last)) : kNoOutline;
        int64_t below = 0;
        for (size_t group = 0; group < kMemoryGroups; ++group)
            shape.tops[group] = heightOf(below += peak.bytes[group]);
    }
}

void fillMemoryMarks(const LaneFrame& frame, const MemoryPlace& place, MemoryRowData& out)
{
    const Report& report = *place.report;
    const PixelScale& scale = frame.scales[place.source->report];
    if (place.axis().isByIndex()) return;
    for (const Track& track : report.tracks) {
        if (!isOfDevice(report, track, place.device().device)) continue;
        const auto* const starts = report.slices.start_ns.data() + track.firstSlice.value;
        const auto* at = std::lower_bound(starts, starts + track.sliceCount, scale.range().begin.ns);
        for (; at != starts + track.sliceCount && *at < scale.range().end.ns; ++at) {
            const SliceId slice(track.firstSlice.value + static_cast<size_t>(at - starts));
            const std::string_view name = report.nameOf(slice);
            MemoryMark mark{static_cast<uint16_t>(scale.pixelOf({*at})), name.starts_with("out of memory"),
                            slice};
            const bool isStep = report.slices.kind[slice.value] == RowKind::userAnnotation;
            if (isStep && lowerAscii(name).find("step") == std::string::npos) continue;
            out.marks.push_back(mark);
        }
    }
    // An alarm takes precedence in its pixel; among other marks that are close together, the first one is
    // kept.
    std::ranges::stable_sort(out.marks, {},
                             [](const MemoryMark& mark) { return std::pair(mark.x, !mark.isAlarm); });
    std::vector<MemoryMark> kept;
    for (const MemoryMark& mark : out.marks) {
        const bool isFree = kept.empty() || (mark.isAlarm ? kept.back().x < mark.x || !kept.back().isAlarm
                                                          : kept.back().x + kGapOfMarks <= mark.x);
        if (isFree) kept.push_back(mark);
    }
    out.marks = std::move(kept);
}

void fillMemoryLabels(const LaneFrame& frame, const MemoryPlace& place, const MemoryRowData& data,
                      DisplayRow& row)
{
    const int padding = frame.metrics.labelPadding;
    const MemoryLook look = frame.list.memoryLook;
    for (uint8_t group = 0; group < kMemoryGroups; ++group) {
        // Prefers the thick middle of the area to its long thin ends.
        int most = 0;
        for (const MemoryColumnShape& column : data.columns)
            most = std::max(most, (group == 0 ? row.height : column.tops[group - 1]) - column.tops[group]);
        const Stretch stretch =
            longestStretch(data, row.height, group, std::max(frame.metrics.legendRow, most / 2));
        if (stretch.width() <= 2 * padding) continue;
        const std::string name = memoryGroupName(place, group, look);
        const auto room = static_cast<float>(stretch.width() - 2 * padding);
        const float width = frame.view.font->widthOf(name);
        if (width > room) continue;
        row.labels.push_back({centerAwayFromMarks(data, stretch, static_cast<int>(width) / 2 + padding),
                              (stretch.top + stretch.bottom) / 2, memoryInk(place, group, look),
                              static_cast<uint32_t>(row.text.size()), static_cast<uint32_t>(name.size())});
        row.text += name;
    }
}

} // namespace lockstep
