// SPDX-License-Identifier: Apache-2.0
// OppositeLanes: maps a lane to its counterpart in the other pane of a comparison, by key, so that both panes
// collapse and scroll together. Computed off the UI thread from the paired lanes. Value type.
#pragma once

#include <string>
#include <unordered_map>

#include "core/lanes/lane_state.h"
#include "core/scene/scene.h"

namespace lockstep {

class OppositeLanes {
  public:
    OppositeLanes() = default;
    // Uses the lane pairs from compareLanes(), and pairs their ancestors: ranks, GPUs and groups.
    OppositeLanes(const Scene& a, const Scene& b);

    // Returns the key of the counterpart; "" if there is none.
    const std::string& inB(const std::string& laneOfA) const { return find(m_toB, laneOfA); }
    const std::string& inA(const std::string& laneOfB) const { return find(m_toA, laneOfB); }
    size_t size() const { return m_toB.size(); }
    // Converts a state of A's lanes to the corresponding state of B's lanes; lanes without a counterpart keep
    // their state in B.
    LaneState stateForB(const LaneState& a, const LaneState& b) const { return follow(a, b, m_toB); }
    LaneState stateForA(const LaneState& b, const LaneState& a) const { return follow(b, a, m_toA); }

  private:
    using Keys = std::unordered_map<std::string, std::string>;

    static const std::string& find(const Keys& keys, const std::string& key);
    static LaneState follow(const LaneState& from, const LaneState& to, const Keys& keys);
    void join(const Scene& a, uint32_t laneA, const Scene& b, uint32_t laneB);

    Keys m_toB, m_toA;
};

} // namespace lockstep
