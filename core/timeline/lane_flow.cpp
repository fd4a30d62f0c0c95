// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/lane_flow.h"

#include <algorithm>
#include <limits>

#include "core/timeline/lane_kind.h"
#include "core/timeline/lane_order.h"

namespace lockstep {

namespace {

constexpr int kTallest = std::numeric_limits<int>::max() / 4; // the scroll range cannot be larger than this

class FlowWalk {
  public:
    FlowWalk(const Scene& scene, const LaneState& state, const std::vector<bool>& shown, LaneFlow& flow,
             const LaneFlow* last)
        : m_scene(scene), m_tree(*scene.tree), m_state(state), m_shown(shown), m_order(scene, state),
          m_flow(flow), m_last(last)
    {
    }

    void visit(uint32_t index, bool isPinned)
    {
        const Lane& lane = m_tree.lane(index);
        if (!m_shown[index] || m_state.isHidden(lane)) return;
        isPinned = isPinned || m_state.isPinned(lane);
        bool isCollapsed = m_state.isCollapsed(lane);
        // If the filter leaves only a few of a map's ranks, they are shown individually.
        if (isCollapsed && lane.isRankMap() && shownRanks(index) < kMinMapRanks) isCollapsed = false;
        place(index, isCollapsed, isPinned);
        if (isCollapsed) {
            // Lanes opened from a map are shown below it; pinned lanes remain visible even if the tree above
            // them is collapsed.
            for (const uint32_t child : m_order.below(index)) {
                if (lane.isRankMap() && m_state.isOpened(m_tree.lane(child))) {
                    visit(child, isPinned);
                } else {
                    visitPinned(child, isPinned);
                }
            }
            return;
        }
        for (const uint32_t child : m_order.below(index))
            visit(child, isPinned);
    }

    void visitAll()
    {
        for (const uint32_t lane : m_order.below(kNoLane))
            visit(lane, false);
    }

  private:
    void visitPinned(uint32_t index, bool isUnderPinned)
    {
        const Lane& lane = m_tree.lane(index);
        if (!m_shown[index] || m_state.isHidden(lane) || isUnderPinned) return;
        if (m_state.isPinned(lane)) return visit(index, true);
        for (const uint32_t child : m_tree.childrenOf(index))
            visitPinned(child, isUnderPinned);
    }

    void place(uint32_t index, bool isCollapsed, bool isPinned)
    {
        const Lane& lane = m_tree.lane(index);
        int& bottom = isPinned ? m_flow.pinnedHeight : m_flow.scrollingHeight;
        auto& lanes = isPinned ? m_flow.pinned : m_flow.scrolling;
        PlacedLane placed;
        placed.lane = index;
        placed.y = bottom;
        placed.isCollapsed = isCollapsed;
        placed.isAlternate = lanes.size() % 2 == 1;
        placed.value = m_order.textOf(index);
        placed.kind = &kindOf(lane, isCollapsed);
        placed.rowsShown = std::max(1u, placed.kind->rowCount(lane, isCollapsed));
        if (placed.value.empty()) placed.value = placed.kind->value(m_scene, index);
        if (isCollapsed && lane.isRankMap()) placed.map = mapOf(index);
        placed.rowHeight = m_flow.metrics.scaledRow(m_state.rowHeightOf(lane));
        // Rows beyond the maximum height cannot be scrolled to.
        placed.rowsShown = std::min(
            placed.rowsShown, static_cast<uint32_t>(kTallest / (placed.rowHeight + m_flow.metrics.line)));
        placed.height =
            std::min(placed.kind->height(placed, m_flow.metrics), kTallest - std::min(bottom, kTallest));
        bottom += placed.height;
        lanes.push_back(std::move(placed));
    }

    bool isShownUpTo(uint32_t lane) const
    {
        for (; lane != kNoLane; lane = m_tree.parentOf(lane)) {
            if (!isRankShown(lane)) return false;
        }
        return true;
    }

    bool isRankShown(uint32_t lane) const { return m_shown[lane] && !m_state.isHidden(m_tree.lane(lane)); }

    uint32_t shownRanks(uint32_t index) const
    {
        const Lane& lane = m_tree.lane(index);
        if (lane.rankCount == 0 || !isRankShown(index)) return 0;
        if (lane.subject != LaneSubject::group) return 1;
        uint32_t ranks = 0;
        for (const uint32_t child : m_tree.childrenOf(index))
            ranks += shownRanks(child);
        return ranks;
    }

    std::shared_ptr<const RankMap> mapOf(uint32_t lane) const
    {
        const bool isWhole = shownRanks(lane) == m_tree.lane(lane).rankCount;
        const bool isSame = isWhole && m_last != nullptr && m_last->tree == m_flow.tree &&
                            m_last->lateness == m_flow.lateness && m_last->rankMap == m_flow.rankMap &&
                            m_last->metrics == m_flow.metrics;
        if (isSame) {
            for (const auto* lanes : {&m_last->scrolling, &m_last->pinned}) {
                for (const PlacedLane& placed : *lanes) {
                    if (placed.lane == lane && placed.map != nullptr && placed.map->isWhole())
                        return placed.map;
                }
            }
        }
        return RankMap::make(m_scene, lane, m_state.rankMap, m_flow.metrics,
                             [this](uint32_t process) { return isShownUpTo(process); });
    }

    const Scene& m_scene;
    const LaneTree& m_tree;
    const LaneState& m_state;
    const std::vector<bool>& m_shown;
    const LaneOrder m_order;
    LaneFlow& m_flow;
    const LaneFlow* m_last;
};

} // namespace

const PlacedLane* LaneFlow::placeOf(const LaneTree& lanes, uint32_t lane, bool* isPinned) const
{
    for (; lane != kNoLane; lane = lanes.parentOf(lane)) {
        for (const auto* part : {&pinned, &scrolling}) {
            const auto found = std::ranges::find(*part, lane, &PlacedLane::lane);
            if (found == part->end()) continue;
            if (isPinned != nullptr) *isPinned = part == &pinned;
            return &*found;
        }
    }
    return nullptr;
}

const PlacedLane* LaneFlow::processOf(const LaneTree& lanes, uint32_t lane) const
{
    const auto found = std::ranges::find(scrolling, lanes.processOf(lane), &PlacedLane::lane);
    return found == scrolling.end() || found->isCollapsed ? nullptr : &*found;
}

LaneFlow placeLanes(const Scene& scene, const LaneState& state, const std::vector<bool>& shown,
                    const FrameMetrics& metrics, const LaneFlow* last)
{
    LaneFlow flow;
    flow.metrics = metrics;
    flow.tree = scene.tree;
    flow.lateness = scene.lateness;
    flow.rankMap = state.rankMap;
    flow.memoryLook = state.memoryLook;
    FlowWalk walk(scene, state, shown, flow, last);
    walk.visitAll();
    return flow;
}

} // namespace lockstep
