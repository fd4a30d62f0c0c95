// SPDX-License-Identifier: Apache-2.0
// LaneOrder: in which order the lanes below one lane stand: as the tree has them, processes by a value, or as
// the user dragged them. What has no value comes last and says so; ties stay as the tree has them. Made by
// placeLanes(). Pure.
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
    // Both must outlive it.
    LaneOrder(const Scene& scene, const LaneState& state);

    // The lanes below `parent`, kNoLane: those at the top; each once.
    std::vector<uint32_t> below(uint32_t parent) const;
    // What the header of a process says of its place: "late 3.2 ms", "no memory known"; "" where it is not
    // sorted by a value.
    std::string textOf(uint32_t lane) const;

  private:
    std::optional<double> valueOf(uint32_t lane) const;
    std::vector<uint32_t> roots() const;

    const Scene& m_scene;
    const LaneState& m_state;
    std::unordered_map<std::string_view, size_t> m_placeOf; // by key, where the user put it
};

// Puts a lane before another one below the same lane, or behind all of these where `before` is kNoLane. All
// lanes stay as they stand, however they were sorted. False where that is no such lane: nothing changes.
bool moveLane(const Scene& scene, LaneState& state, uint32_t lane, uint32_t before);
// The same by one place up (-1) or down; hidden lanes are passed over.
bool moveLaneBy(const Scene& scene, LaneState& state, uint32_t lane, int by);

} // namespace lockstep
