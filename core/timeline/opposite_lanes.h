// SPDX-License-Identifier: Apache-2.0
// OppositeLanes: which lane of the other half of a comparison stands opposite a lane, by key, so that the
// halves fold and scroll together. Made off the UI thread from the lanes that are held against each other; a
// value.
#pragma once

#include <string>
#include <unordered_map>

#include "core/lanes/lane_state.h"
#include "core/scene/scene.h"

namespace lockstep {

class OppositeLanes {
  public:
    OppositeLanes() = default;
    // Lanes of tracks as compareLanes() pairs them, and what they are in: ranks, GPUs and groups.
    OppositeLanes(const Scene& a, const Scene& b);

    // "": there is none.
    const std::string& inB(const std::string& laneOfA) const { return find(m_toB, laneOfA); }
    const std::string& inA(const std::string& laneOfB) const { return find(m_toA, laneOfB); }
    size_t size() const { return m_toB.size(); }
    // How lanes of B are to look where those of A look so: what has no lane opposite stays as it is in B.
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
