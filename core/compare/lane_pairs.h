// SPDX-License-Identifier: Apache-2.0
// Lane pairs: which lane on one side of a comparison corresponds to which lane on the other.
//
// Processes are matched by role, rank and replica, and, if several tools recorded the same process, by the
// tool. Processes without a known rank are matched by role and host, and finally by role and order. Their
// lanes are matched by kind, GPU and stream, or by the names of thread and lane. Remaining lanes of a kind
// are paired in order. A lane consists of all tracks that belong together, in any number of reports. Pure.
// Thread: any.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "core/lanes/lane_state.h"
#include "core/scene/scene.h"

namespace lockstep {

struct LanePair {
    std::vector<TrackRef> a, b; // in the order of their first slices
    std::string label;          // "rank 3 actor, stream 7"
};

// A process that exists on only one side.
struct UnpairedProcess {
    bool isInA = true;
    std::string label;
    std::vector<TrackRef> tracks;
};

struct LanePairs {
    std::vector<LanePair> pairs; // a or b is empty if the process exists there but the lane does not
    std::vector<UnpairedProcess> unpaired; // sorted by side, then by label
    size_t processes = 0;                  // number of processes on both sides
};

// Pairs the lanes. Skips lanes without slices and diagnostic lanes.
LanePairs pairLanes(const Scene& a, const Scene& b);

// PairedLaneKeys: maps a lane to its counterpart on the other side, by key, so that both
// sides collapse and scroll together. Computed off the UI thread from the paired lanes. Value type.
class PairedLaneKeys {
  public:
    PairedLaneKeys() = default;
    // Uses the lane pairs from pairLanes(), and pairs their ancestors: ranks, GPUs and groups.
    PairedLaneKeys(const Scene& a, const Scene& b);

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
