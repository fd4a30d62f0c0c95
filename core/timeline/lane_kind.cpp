// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/lane_kind.h"

#include <array>

#include "core/timeline/lane_kinds/registry.h"

namespace lockstep {

namespace {

std::span<const LaneKind* const> laneKinds()
{
#define LOCKSTEP_ENTRY(function) &function(),
    static const std::array kKinds{LOCKSTEP_LANE_KINDS(LOCKSTEP_ENTRY)};
#undef LOCKSTEP_ENTRY
    return kKinds;
}

} // namespace

const LaneKind& kindOf(const Lane& lane, bool isCollapsed)
{
    for (const LaneKind* const kind : laneKinds()) {
        if (kind->handles(lane, isCollapsed)) return *kind;
    }
    return *laneKinds().back();
}

int LaneKind::height(const PlacedLane& placed, const FrameMetrics& metrics) const
{
    return static_cast<int>(placed.rowsShown) * (placed.rowHeight + metrics.line);
}

uint32_t LaneKind::rowCount(const Lane& lane, bool isCollapsed) const
{
    return isCollapsed || lane.sources.empty() ? 1 : lane.rowCount;
}

int LaneKind::controlsHeight(const FrameMetrics&) const
{
    return 0;
}

std::string LaneKind::value(const Scene& scene, uint32_t lane) const
{
    return scene.tree->lane(lane).value;
}

void LaneKind::fill(const LaneFrame&, const RowJob&, DisplayRow&) const {}

void LaneKind::draw(const FrameMetrics&, DisplayRow&) const {}

const HeatMap* LaneKind::heat(const DisplayRow&) const
{
    return nullptr;
}

std::vector<RowAlarm> LaneKind::alarms(const Scene&, const DisplayRow&) const
{
    return {};
}

int LaneKind::endOf(const DisplayRow&) const
{
    return 0;
}

void LaneKind::separate(int, DisplayRow&, DisplayRow&) const {}

bool LaneKind::hit(const DisplayRow&, int, int, Hit&) const
{
    return false;
}

void LaneKind::outline(const Scene&, const DisplayRow&, SliceRef, std::span<const SliceRef>,
                       DisplayList&) const
{
}

std::vector<std::string> LaneKind::hover(const Scene&, const DisplayList&, const Hit&) const
{
    return {};
}

bool LaneKind::press(const Scene&, const Hit&, LaneState&) const
{
    return false;
}

uint32_t LaneKind::targetOf(const Hit&) const
{
    return kNoLane;
}

bool LaneKind::matchesName(const Lane&, const NameMatcher&) const
{
    return false;
}

DisplayRow& LaneKind::addRow(LaneFrame& frame, const LanePlace& place, int y, int height) const
{
    DisplayRow& row = frame.list.rows.emplace_back();
    row.lane = place.lane.lane;
    row.kind = this;
    row.y = y;
    row.height = height;
    row.isPinned = place.isPinned;
    return row;
}

void LaneKind::addJob(LaneFrame& frame, const LanePlace& place, std::span<const RowSource> sources,
                      uint16_t depth)
{
    frame.jobs.push_back({frame.list.rows.size() - 1, &place.lane, sources, depth});
}

} // namespace lockstep
