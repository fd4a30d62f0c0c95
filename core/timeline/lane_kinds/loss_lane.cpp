// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/lane_kind.h"

#include <algorithm>

#include "core/lanes/loss_lanes.h"
#include "core/timeline/lane_kinds/registry.h"

namespace lockstep {

namespace {

// LossLane: data loss, drawn hatched at the times of the loss, or over the whole width if these times are
// unknown. The hover card describes the loss.
class LossLane final : public LaneKind {
  public:
    std::string_view name() const override { return "hatch"; }
    bool handles(const Lane& lane, bool isCollapsed) const override;
    bool isProblem() const override { return true; }
    void place(LaneFrame& frame, const LanePlace& place) const override;
    bool hit(const DisplayRow& row, int x, int y, Hit& hit) const override;
    std::vector<std::string> hover(const Scene& scene, const DisplayList& list,
                                   const Hit& hit) const override;
    bool matchesName(const Lane& lane,
                     const NameMatcher& isMatch) const override; // also matches the description of the loss
    void write(std::ostream& out, const DisplayRow& row) const override;
};

} // namespace

bool LossLane::handles(const Lane& lane, bool) const
{
    return lane.data.is<LossLaneData>();
}

void LossLane::place(LaneFrame& frame, const LanePlace& place) const
{
    DisplayRow& row = addRow(frame, place, place.y, place.lane.height - frame.metrics.line);
    const auto hatch = [&](int begin, int end) {
        Span& span = row.spans.emplace_back();
        span.begin = static_cast<uint16_t>(begin);
        span.end = static_cast<uint16_t>(end);
        span.bottom = static_cast<uint16_t>(row.height);
        span.ink.kind = Ink::Kind::loss;
    };
    const std::vector<TimeRange>& gaps = frame.laneAt(place.lane.lane).data.as<LossLaneData>()->gaps;
    if (gaps.empty()) return hatch(0, frame.width());
    const PixelScale& scale = frame.list.scale;
    int last = 0; // hatched up to this pixel
    for (const TimeRange gap : gaps) {
        if (!gap.overlaps(scale.range())) continue;
        const int begin = std::clamp(scale.pixelOf(gap.begin), last, frame.width() - 1);
        const int end = std::clamp(scale.pixelOf(gap.end), begin + 1, frame.width());
        if (end <= last) continue;
        hatch(std::max(begin, last), end);
        last = end;
    }
}

bool LossLane::hit(const DisplayRow& row, int x, int, Hit& hit) const
{
    const auto isAt = [x](const Span& span) { return span.begin <= x && x < span.end; };
    if (std::ranges::none_of(row.spans, isAt)) return false;
    hit.part = Hit::Part::shape;
    return true;
}

std::vector<std::string> LossLane::hover(const Scene& scene, const DisplayList&, const Hit& hit) const
{
    const Lane& lane = scene.tree->lane(hit.lane);
    if (lane.note.empty()) return {};
    return {scene.tree->pathOf(hit.lane), lane.note};
}

bool LossLane::matchesName(const Lane& lane, const NameMatcher& isMatch) const
{
    return isMatch(lane.label) || isMatch(lane.note);
}

void LossLane::write(std::ostream&, const DisplayRow&) const {}

const LaneKind& lossLane()
{
    static const LossLane kLane{};
    return kLane;
}

} // namespace lockstep
