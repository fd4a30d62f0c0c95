#include "core/timeline/lane_flow.h"

#include <algorithm>
#include <limits>

namespace lockstep {

namespace {

constexpr int kTallest = std::numeric_limits<int>::max() / 4; // rows beyond this cannot be scrolled to

class FlowWalk {
  public:
    FlowWalk(const LaneTree& tree, const LaneState& state, const std::vector<bool>& shown, LaneFlow& flow)
        : m_tree(tree), m_state(state), m_shown(shown), m_flow(flow)
    {
    }

    void visit(uint32_t index, bool isPinned)
    {
        const Lane& lane = m_tree.lane(index);
        if (!m_shown[index] || m_state.isHidden(lane)) return;
        isPinned = isPinned || m_state.isPinned(lane);
        const bool isCollapsed = m_state.isCollapsed(lane);
        place(index, isCollapsed, isPinned);
        if (isCollapsed) {
            // Pinned lanes stay in sight however the tree above them is folded.
            for (const uint32_t child : lane.children)
                visitPinned(child, isPinned);
            return;
        }
        for (const uint32_t child : lane.children)
            visit(child, isPinned);
    }

  private:
    void visitPinned(uint32_t index, bool isUnderPinned)
    {
        const Lane& lane = m_tree.lane(index);
        if (!m_shown[index] || m_state.isHidden(lane) || isUnderPinned) return;
        if (m_state.isPinned(lane)) return visit(index, true);
        for (const uint32_t child : lane.children)
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
        placed.rowsShown = isCollapsed || lane.sources.empty() ? 1 : std::max(1u, lane.rowCount);
        const int64_t rows = lane.kind == LaneKind::counter ? 2 : placed.rowsShown;
        placed.height =
            static_cast<int>(std::min<int64_t>(rows * m_flow.pitch(), kTallest - std::min(bottom, kTallest)));
        bottom += placed.height;
        lanes.push_back(placed);
    }

    const LaneTree& m_tree;
    const LaneState& m_state;
    const std::vector<bool>& m_shown;
    LaneFlow& m_flow;
};

} // namespace

const PlacedLane* LaneFlow::placeOf(const LaneTree& tree, uint32_t lane, bool* isPinned) const
{
    for (; lane != kNoLane; lane = tree.lane(lane).parent) {
        for (const auto* lanes : {&pinned, &scrolling}) {
            const auto found = std::ranges::find(*lanes, lane, &PlacedLane::lane);
            if (found == lanes->end()) continue;
            if (isPinned != nullptr) *isPinned = lanes == &pinned;
            return &*found;
        }
    }
    return nullptr;
}

LaneFlow placeLanes(const LaneTree& tree, const LaneState& state, const std::vector<bool>& shown,
                    int rowHeight)
{
    LaneFlow flow;
    flow.rowHeight = std::max(4, rowHeight);
    FlowWalk walk(tree, state, shown, flow);
    for (uint32_t i = 0; i < tree.size(); ++i) {
        if (tree.lane(i).parent == kNoLane) walk.visit(i, false);
    }
    return flow;
}

} // namespace lockstep
