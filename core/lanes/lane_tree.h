// SPDX-License-Identifier: Apache-2.0
// LaneTree: what the timeline shows line by line, from runs down to streams and counters. A process is one
// group of lanes however many reports show it, and its captures lie one after another on the same rows. Made
// from a workspace, its alignment and LODs whenever one of them or the grouping changes, process by process:
// those that are as they were are shared with the tree before. Immutable. Which lanes are folded, hidden or
// pinned is a LaneState, kept apart by lane key so that it outlives the tree.
#pragma once

#include <array>
#include <deque>
#include <ranges>
#include <unordered_map>

#include "core/align/alignment.h"
#include "core/lanes/process_lanes.h"

namespace lockstep {

enum class LaneGrouping : uint8_t {
    automatic, // runs when there are several; hosts when there are many processes on several
    none,
    host,
    run,
    role,
    step, // and all below: see LaneGroups
    tool,
    rank,
    gpu,
    communicator
};
inline constexpr std::array<std::string_view, 10> kLaneGroupingNames{
    "automatic", "none", "host", "run", "role", "step", "tool", "rank", "gpu", "communicator"};

struct LaneOptions {
    LaneGrouping grouping = LaneGrouping::automatic;

    friend bool operator==(const LaneOptions&, const LaneOptions&) = default;
};

class LaneTree {
  public:
    LaneTree() = default;
    LaneTree(LaneTree&&) = default;
    LaneTree& operator=(LaneTree&&) = default;
    LaneTree(const LaneTree&) = delete;
    LaneTree& operator=(const LaneTree&) = delete;

    size_t size() const { return m_places.size(); }
    const Lane& lane(uint32_t index) const { return *m_places[index].lane; }
    // Parents before their children, top to bottom.
    auto lanes() const
    {
        return std::views::transform(m_places, [](const Place& at) -> const Lane& { return *at.lane; });
    }
    uint32_t parentOf(uint32_t lane) const { return m_places[lane].parent; } // kNoLane at the top
    auto childrenOf(uint32_t lane) const
    {
        const uint32_t first = m_places[lane].first;
        return std::views::transform(*m_places[lane].children,
                                     [first](uint32_t child) { return first + child; });
    }
    uint16_t levelOf(uint32_t lane) const { return m_places[lane].level; } // 0 at the top
    // kNoLane when there is none.
    uint32_t find(std::string_view key) const;
    // The lane that has the track among its sources; kNoLane when none has.
    uint32_t laneOf(TrackRef track) const;
    // "node0 · rank 0 · actor › GPU 0 H100 › stream 7"
    std::string pathOf(uint32_t lane) const;

  private:
    friend class LaneTreeBuilder;

    struct Place {
        const Lane* lane = nullptr;
        const std::vector<uint32_t>* children = nullptr; // counted from `first`
        uint32_t first = 0;                              // lane of its process; 0 for groups
        uint32_t parent = kNoLane;
        uint16_t level = 0;
    };
    struct Group {
        Lane lane;
        std::vector<uint32_t> children;
    };
    struct Process {
        std::shared_ptr<const ProcessLanes> lanes;
        uint32_t first = 0; // where its lanes begin
    };

    std::vector<Place> m_places; // by lane
    std::deque<Group> m_groups;
    std::vector<Process> m_processes;
    std::unordered_map<std::string_view, uint32_t> m_groupOf;   // its lane, by key
    std::unordered_map<std::string_view, uint32_t> m_processOf; // by key, into m_processes
    std::vector<std::pair<ReportKey, uint32_t>> m_processesOf;  // by report, into m_processes
};

// The first to last stamp of a workspace's reports, aligned; where none has any but there are histories of
// memory, which are told by index then: a microsecond an entry of the longest.
TimeRange axisOf(const Workspace& workspace, const Alignment& alignment);

// lods: of all its reports. Tracks and counters without rows make no lanes; processes without any lane
// neither. last: the tree to share with; what it shows besides does not matter.
LaneTree buildLaneTree(const Workspace& workspace, const Alignment& alignment, const ReportLods& lods,
                       const LaneOptions& options = {}, const LaneTree* last = nullptr);

} // namespace lockstep
