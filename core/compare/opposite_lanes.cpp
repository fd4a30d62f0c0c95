// SPDX-License-Identifier: Apache-2.0
#include "core/compare/opposite_lanes.h"

#include "core/compare/compared_lanes.h"

namespace lockstep {

OppositeLanes::OppositeLanes(const Scene& a, const Scene& b)
{
    const ComparedLanes compared = compareLanes(a, b);
    for (const LanePair& pair : compared.pairs) {
        if (pair.a.empty() || pair.b.empty()) continue;
        join(a, a.tree->laneOf(pair.a.front()), b, b.tree->laneOf(pair.b.front()));
    }
}

// Pairs two lanes and their ancestors, as long as the ancestors have the same kind on both sides.
void OppositeLanes::join(const Scene& a, uint32_t laneA, const Scene& b, uint32_t laneB)
{
    while (laneA != kNoLane && laneB != kNoLane) {
        const Lane& one = a.tree->lane(laneA);
        const Lane& other = b.tree->lane(laneB);
        if (one.subject != other.subject) return;
        const bool isNew = m_toB.try_emplace(one.key, other.key).second;
        m_toA.try_emplace(other.key, one.key);
        if (!isNew) return;
        laneA = a.tree->parentOf(laneA);
        laneB = b.tree->parentOf(laneB);
    }
}

const std::string& OppositeLanes::find(const Keys& keys, const std::string& key)
{
    static const std::string none;
    const auto at = keys.find(key);
    return at == keys.end() ? none : at->second;
}

LaneState OppositeLanes::follow(const LaneState& from, const LaneState& to, const Keys& keys)
{
    LaneState out = from;
    out.collapsed = to.collapsed;
    out.hidden = to.hidden;
    out.pinned = to.pinned;
    out.opened = to.opened;
    out.order.clear();
    for (const auto& [key, other] : keys) {
        const auto folded = from.collapsed.find(key);
        if (folded == from.collapsed.end()) {
            out.collapsed.erase(other);
        } else {
            out.collapsed[other] = folded->second;
        }
        const auto copy = [&, &lane = key, &opposite = other](const std::set<std::string>& in,
                                                              std::set<std::string>& into) {
            if (in.contains(lane)) {
                into.insert(opposite);
            } else {
                into.erase(opposite);
            }
        };
        copy(from.hidden, out.hidden);
        copy(from.pinned, out.pinned);
        copy(from.opened, out.opened);
    }
    for (const std::string& key : from.order)
        if (const std::string& other = find(keys, key); !other.empty()) out.order.push_back(other);
    return out;
}

} // namespace lockstep
