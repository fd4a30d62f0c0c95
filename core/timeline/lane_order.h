// SPDX-License-Identifier: Apache-2.0
// LaneOrder: the order of the lanes below a given lane: as in the tree, by a value (processes only), or as
// dragged by the user. Lanes without a value come last and show that the value is missing; ties keep the
// order of the tree. Used by placeLanes(). Pure.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/lanes/lane_state.h"
#include "core/scene/scene.h"

namespace lockstep {

class LaneOrder {
  public:
    // Both arguments must outlive this object.
    LaneOrder(const Scene& scene, const LaneState& state);

    // Returns the lanes below `parent` without duplicates; kNoLane stands for the top level.
    std::vector<uint32_t> below(uint32_t parent) const;
    // Returns the sort value for the header of a process: "late 3.2 ms", "no memory"; "" if the lanes are not
    // sorted by a value.
    std::string textOf(uint32_t lane) const;

  private:
    std::optional<double> valueOf(uint32_t lane) const;
    std::vector<uint32_t> roots() const;

    const Scene& m_scene;
    const LaneState& m_state;
    std::unordered_map<std::string_view, size_t> m_positionOf; // position that the user has set, by key
};

// Moves a lane before another lane below the same parent, or to the end if `before` is kNoLane. All other
// lanes keep their current order, regardless of how they were sorted. Returns false without a change if
// `before` is not below that parent.
bool moveLane(const Scene& scene, LaneState& state, uint32_t lane, uint32_t before);
// Moves a lane up (-1) or down by one position; hidden lanes are skipped.
bool moveLaneBy(const Scene& scene, LaneState& state, uint32_t lane, int by);

} // namespace lockstep
