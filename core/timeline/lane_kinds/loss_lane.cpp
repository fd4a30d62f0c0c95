// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/lane_kinds/loss_lane.h"

namespace lockstep {

bool LossLane::takes(const Lane& lane, bool) const
{
    return lane.subject == LaneSubject::dataLoss;
}

void LossLane::place(LaneFrame& frame, const LanePlace& place) const
{
    DisplayRow& row = addRow(frame, place, place.y, place.lane.height - frame.metrics.line);
    Span& span = row.spans.emplace_back();
    span.end = static_cast<uint16_t>(frame.width());
    span.bottom = static_cast<uint16_t>(row.height);
    span.ink.kind = Ink::Kind::loss;
}

bool LossLane::hit(const DisplayRow&, int, int, Hit& hit) const
{
    hit.part = Hit::Part::hatch;
    return true;
}

std::vector<std::string> LossLane::hover(const Scene& scene, const DisplayList&, const Hit& hit) const
{
    const Lane& lane = scene.tree->lane(hit.lane);
    if (lane.note.empty()) return {};
    return {scene.tree->pathOf(hit.lane), lane.note};
}

bool LossLane::isCalled(const Lane& lane, const NameMatcher& isMatch) const
{
    return isMatch(lane.label) || isMatch(lane.note);
}

void LossLane::write(std::ostream&, const DisplayRow&) const {}

} // namespace lockstep
