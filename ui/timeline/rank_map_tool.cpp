// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/rank_map_tool.h"

#include <algorithm>

#include "core/timeline/lane_kinds/rank_map_lane.h"
#include "ui/timeline/hover_card.h"
#include "ui/timeline/hover_tool.h"
#include "ui/timeline/lane_tool.h"
#include "ui/timeline/navigation_tool.h"
#include "ui/timeline/rank_frame_painter.h"
#include "ui/timeline/timeline_canvas.h"

namespace lockstep {

RankMapTool::RankMapTool(TimelineContext& context, const NavigationTool& navigation, LaneTool& lanes,
                         const HoverTool& hover)
    : m_context(context), m_state(context.state), m_navigation(navigation), m_lanes(lanes), m_hover(hover)
{
    on(CommandId::laneAbove, [this] { return step(-1); });
    on(CommandId::laneBelow, [this] { return step(1); });
    on(CommandId::toggleLane, [this] { return openRank(); });
    on(CommandId::cancel, [this] { return exitMap(); });
}

bool RankMapTool::step(int by)
{
    if (moveBy(by)) return true;
    m_exitedMap = kNoLane;
    return false;
}

bool RankMapTool::moveBy(int by)
{
    const auto map = focusedMap(m_state);
    if (map == nullptr || map->ranks().empty() || m_state.focusedLane == m_exitedMap) return false;
    const auto last = static_cast<int64_t>(map->ranks().size()) - 1;
    const auto marked = markedRank(m_state);
    const int64_t next = marked ? int64_t{*marked} + by : by > 0 ? 0 : last;
    if (next < 0 || next > last) return false;
    m_state.markRank(static_cast<uint32_t>(next));
    showRank();
    return true;
}

// The card names the rank and its activity at the time under the mouse, or in the middle of the view if the
// mouse is elsewhere.
void RankMapTool::showRank()
{
    m_context.scrollToLane(m_state.focusedLane);
    m_context.canvas->refresh();
    const QRect line = lineRect();
    const Hit rank = hit();
    const QStringList lines = m_hover.linesFor(rank);
    const double ratio = m_context.owner.devicePixelRatioF();
    m_context.showCard(lines, (QPointF(line.left() + rank.x, line.bottom() + 1) / ratio).toPoint());
    m_context.owner.setAccessibleDescription(lines.value(0));
}

bool RankMapTool::openRank()
{
    const uint32_t map = m_state.focusedLane;
    if (!markedRank(m_state)) return false;
    if (!m_lanes.activate(hit())) return true; // no report of the rank is open, as the card states
    m_state.focusedLane = map; // the map stays current, so that Up and Down go to the next rank
    m_context.canvas->refresh();
    return true;
}

bool RankMapTool::exitMap()
{
    if (!markedRank(m_state)) return false;
    m_exitedMap = m_state.focusedLane;
    m_state.marked = {};
    m_context.card->hide();
    m_context.owner.setAccessibleDescription({});
    m_context.canvas->refresh();
    return true;
}

QRect RankMapTool::lineRect() const
{
    const auto rank = markedRank(m_state);
    if (!rank) return {};
    const DisplayList& list = m_context.canvas->displayList();
    for (const DisplayRow& row : list.rows) {
        const auto* const data = row.data.as<RankMapRowData>();
        if (data == nullptr || row.lane != m_state.focusedLane) continue;
        const RankMap::Line& line = data->map->lines()[data->map->lineOf(*rank)];
        const int top = row.y + row.height - data->map->height() + line.top;
        return {list.headerWidth, top, list.timeWidth(), line.bottom - line.top};
    }
    return {};
}

Hit RankMapTool::hit() const
{
    const QRect rect = lineRect();
    if (rect.isEmpty()) return {};
    const DisplayList& list = m_context.canvas->displayList();
    const int x = std::clamp(list.scale.pixelOf(m_navigation.zoomCenter()), 0, rect.width() - 1);
    Hit hit = hitTest(list, rect.left() + x, rect.top());
    if (auto* const data = hit.data.as<RankMapHitData>()) data->rank = *markedRank(m_state);
    return hit;
}

void RankMapTool::paint(QPainter& painter)
{
    if (m_context.owner.hasFocus()) paintRankFrame(painter, lineRect(), m_state);
}

} // namespace lockstep
