// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/lane_kinds/counter_lane.h"

#include <algorithm>
#include <ostream>

#include "core/lanes/counter_lanes.h"
#include "core/lanes/lane_label.h"
#include "core/timeline/lane_kinds/registry.h"

namespace lockstep {

namespace {

class CounterLane final : public LaneKind {
  public:
    std::string_view name() const override { return "counter"; }
    bool handles(const Lane& lane, bool isCollapsed) const override;
    int height(const PlacedLane& placed, const FrameMetrics& metrics) const override;
    void place(LaneFrame& frame, const LanePlace& place) const override;
    void fill(const LaneFrame& frame, const RowJob& job, DisplayRow& row) const override;
    void draw(const FrameMetrics& metrics, DisplayRow& row) const override;
    int endOf(const DisplayRow& row) const override;
    void separate(int x, DisplayRow& earlier, DisplayRow& later) const override;
    bool hit(const DisplayRow& row, int x, int y, Hit& hit) const override;
    std::vector<std::string> hover(const Scene& scene, const DisplayList& list,
                                   const Hit& hit) const override;
    bool matchesName(const Lane& lane, const NameMatcher& isMatch) const override;
    void write(std::ostream& out, const DisplayRow& row) const override;
};

constexpr uint8_t kAreaPart = 110; // of 255

std::span<const CounterColumn> columnsOf(const DisplayRow& row)
{
    const auto* const data = row.data.as<CounterRowData>();
    return data == nullptr ? std::span<const CounterColumn>() : data->columns;
}

} // namespace

bool CounterLane::handles(const Lane& lane, bool) const
{
    return lane.subject == LaneSubject::counter;
}

int CounterLane::height(const PlacedLane& placed, const FrameMetrics& metrics) const
{
    return 2 * (placed.rowHeight + metrics.line);
}

void CounterLane::place(LaneFrame& frame, const LanePlace& place) const
{
    const std::vector<RowSource>& sources = frame.laneAt(place.lane.lane).sources;
    for (size_t i = 0; i < sources.size(); ++i) {
        // Places at least one row so that the lane receives clicks.
        if (i > 0 && !frame.reachesView(sources[i])) continue;
        DisplayRow& row = addRow(frame, place, place.y, place.lane.height - frame.metrics.line);
        row.track = {sources[i].report, {}};
        addJob(frame, place, {&sources[i], 1});
    }
}

// Adds a column for each pixel with a known value. The last value applies until the end of the source.
void CounterLane::fill(const LaneFrame& frame, const RowJob& job, DisplayRow& row) const
{
    const RowSource& source = job.sources.front();
    const CounterLaneData& scale = *frame.laneAt(job.lane()).data.as<CounterLaneData>();
    const double height = scale.high > scale.low ? scale.high - scale.low : 1;
    const RowView view = frame.rowView(source.report);
    const CounterLod& lod = view.lod.counters();
    std::vector<CounterColumn>& columns = row.data.ensure<CounterRowData>().columns;
    columns.clear();
    uint32_t hint = 0;
    const uint32_t first = view.report.counterTracks[source.counter.value].firstSample;
    for (int x = view.scale.pixelOf({view.report.counters.time_ns[first]}); x < view.scale.width(); ++x) {
        const TimeRange pixel = view.scale.pixelRange(x);
        if (pixel.begin > source.extent.end) break;
        const auto known = lod.summarize(view.report, source.counter, pixel, &hint);
        if (!known) continue;
        columns.push_back({static_cast<uint16_t>(x), static_cast<float>((known->min - scale.low) / height),
                           static_cast<float>((known->max - scale.low) / height), known->last});
    }
}

void CounterLane::draw(const FrameMetrics& metrics, DisplayRow& row) const
{
    const int room = row.height - 2 * metrics.line; // keeps the line at the top visible
    const auto yOf = [&](float value) {
        return 2 * metrics.line + static_cast<int>(static_cast<float>(room) * (1 - value));
    };
    const auto put = [&](int x, int top, int bottom, Ink ink, size_t& last) {
        if (top >= bottom) return;
        addMerged(row.spans,
                  {static_cast<uint16_t>(x), static_cast<uint16_t>(x + 1), static_cast<uint16_t>(top),
                   static_cast<uint16_t>(bottom), ink},
                  last);
    };
    Ink area, value;
    area.kind = Ink::Kind::area;
    area.part = kAreaPart;
    value.kind = Ink::Kind::value;
    size_t lastArea = SIZE_MAX, lastValue = SIZE_MAX;
    for (const CounterColumn& sample : columnsOf(row)) {
        const int top = std::clamp(yOf(sample.max), 0, row.height);
        const int edge = std::min(row.height, std::max(yOf(sample.min), top) + metrics.line);
        put(sample.x, top, edge, value, lastValue);
        put(sample.x, edge, row.height, area, lastArea);
    }
}

int CounterLane::endOf(const DisplayRow& row) const
{
    const auto columns = columnsOf(row);
    return columns.empty() ? 0 : columns.back().x + 1;
}

void CounterLane::separate(int x, DisplayRow& earlier, DisplayRow& later) const
{
    const auto from = columnsOf(later);
    if (from.empty() || from.front().x != x) return;
    CounterColumn& to = earlier.data.as<CounterRowData>()->columns.back();
    to.min = std::min(to.min, from.front().min);
    to.max = std::max(to.max, from.front().max);
    to.last = from.front().last;
    std::vector<CounterColumn>& columns = later.data.as<CounterRowData>()->columns;
    columns.erase(columns.begin());
}

bool CounterLane::hit(const DisplayRow& row, int x, int, Hit& hit) const
{
    const auto columns = columnsOf(row);
    const auto sample = std::ranges::lower_bound(columns, x, {}, &CounterColumn::x);
    if (sample == columns.end() || sample->x != x) return false;
    hit.part = Hit::Part::shape;
    hit.data.set(CounterHitData{sample->last});
    return true;
}

std::vector<std::string> CounterLane::hover(const Scene& scene, const DisplayList&, const Hit& hit) const
{
    const auto* const data = hit.data.as<CounterHitData>();
    if (data == nullptr) return {};
    const RowSource& source = scene.tree->lane(hit.lane).sources.front();
    const Report& report = scene.shown.report(source.report);
    const CounterTrack& counter = report.counterTracks[source.counter.value];
    return {scene.tree->pathOf(hit.lane), counterValueText(data->value, report.strings.at(counter.unit))};
}

bool CounterLane::matchesName(const Lane& lane, const NameMatcher& isMatch) const
{
    return isMatch(lane.label);
}

void CounterLane::write(std::ostream& out, const DisplayRow& row) const
{
    const CounterColumn* last = nullptr;
    for (const CounterColumn& sample : columnsOf(row)) {
        if (last == nullptr || last->min != sample.min || last->max != sample.max)
            out << "    ~ " << sample.x << ' ' << sample.min << ".." << sample.max << '\n';
        last = &sample;
    }
}

const LaneKind& counterLane()
{
    static const CounterLane kLane{};
    return kLane;
}

} // namespace lockstep
