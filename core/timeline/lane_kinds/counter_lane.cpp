// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/lane_kinds/counter_lane.h"

#include <algorithm>
#include <ostream>

#include "core/lanes/lane_label.h"

namespace lockstep {

namespace {

constexpr uint8_t kAreaPart = 110; // of 255

} // namespace

bool CounterLane::takes(const Lane& lane, bool) const
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
        frame.jobs.push_back({frame.list.rows.size() - 1, place.lane.lane, {&sources[i], 1}});
    }
}

void CounterLane::fill(const LaneFrame& frame, const RowJob& job, DisplayRow& row) const
{
    const Lane& lane = frame.laneAt(job.lane);
    const RowSource& source = job.sources.front();
    layOutCounter(source.counter, source.extent.end, {lane.counterLow, lane.counterHigh},
                  frame.rowView(source.report), row);
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
    for (const CounterColumn& sample : row.samples) {
        const int top = std::clamp(yOf(sample.max), 0, row.height);
        const int edge = std::min(row.height, std::max(yOf(sample.min), top) + metrics.line);
        put(sample.x, top, edge, value, lastValue);
        put(sample.x, edge, row.height, area, lastArea);
    }
}

bool CounterLane::hit(const DisplayRow& row, int x, int, Hit& hit) const
{
    const auto sample = std::ranges::lower_bound(row.samples, x, {}, &CounterColumn::x);
    if (sample == row.samples.end() || sample->x != x) return false;
    hit.part = Hit::Part::counter;
    hit.value = sample->last;
    return true;
}

std::vector<std::string> CounterLane::hover(const Scene& scene, const DisplayList&, const Hit& hit) const
{
    if (hit.part != Hit::Part::counter) return {};
    const RowSource& source = scene.tree->lane(hit.lane).sources.front();
    const Report& report = scene.shown.report(source.report);
    const CounterTrack& counter = report.counterTracks[source.counter.value];
    return {scene.tree->pathOf(hit.lane), counterValueText(hit.value, report.strings.at(counter.unit))};
}

bool CounterLane::isCalled(const Lane& lane, const NameMatcher& isMatch) const
{
    return isMatch(lane.label);
}

void CounterLane::write(std::ostream& out, const DisplayRow& row) const
{
    const CounterColumn* last = nullptr;
    for (const CounterColumn& sample : row.samples) {
        if (last == nullptr || last->min != sample.min || last->max != sample.max)
            out << "    ~ " << sample.x << ' ' << sample.min << ".." << sample.max << '\n';
        last = &sample;
    }
}

} // namespace lockstep
