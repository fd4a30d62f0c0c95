// SPDX-License-Identifier: Apache-2.0
#include "core/lanes/lane_filter.h"

namespace lockstep {

Result<LaneFilter> LaneFilter::make(const std::string& pattern)
{
    LaneFilter filter;
    if (pattern.empty()) return filter;
    auto compiled = Pattern::compile(pattern, Pattern::Case::ignored);
    if (!compiled) return makeError(compiled.error().kind, "lane filter: " + compiled.error().message);
    filter.m_pattern = *std::move(compiled);
    return filter;
}

std::vector<bool> LaneFilter::shownLanes(const LaneTree& tree) const
{
    if (isEmpty()) return std::vector<bool>(tree.size(), true);
    std::vector<bool> shown(tree.size(), false);
    std::vector<bool> matches(tree.size(), false);
    for (uint32_t i = 0; i < tree.size(); ++i) {
        const uint32_t parent = tree.parentOf(i);
        const bool isUnderMatch = parent != kNoLane && matches[parent];
        matches[i] = isUnderMatch || !m_pattern || m_pattern->matches(tree.pathOf(i));
        shown[i] = matches[i] && (m_only == nullptr || m_only(tree.lane(i)));
        for (uint32_t up = parent; shown[i] && up != kNoLane && !shown[up]; up = tree.parentOf(up))
            shown[up] = true;
    }
    return shown;
}

} // namespace lockstep
