// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/lane_kinds/memory_legend.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/text.h"
#include "core/lanes/memory_lanes.h"
#include "core/timeline/elide.h"
#include "core/timeline/lane_kinds/memory_columns.h"

namespace lockstep {

namespace {

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

} // namespace

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

} // namespace lockstep
