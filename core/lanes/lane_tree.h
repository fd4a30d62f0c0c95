// SPDX-License-Identifier: Apache-2.0
// LaneTree: the lines of the timeline, from runs down to streams and counters. A process is one group of
// lanes, regardless of its number of reports; its captures are placed one after another on the same rows.
// Rebuilt from a workspace, its alignment and LODs when one of these or the grouping changes; unchanged
// processes are shared with the previous tree. Whether lanes are collapsed, hidden or pinned is stored
// separately in a LaneState by lane key, which remains valid for later trees. Immutable.
#pragma once

#include <array>
#include <deque>
#include <ranges>
#include <unordered_map>

#include "core/align/alignment.h"
#include "core/lanes/process_lanes.h"
#include "core/lanes/query_lanes.h"

namespace lockstep {

enum class LaneGrouping : uint8_t {
    automatic, // by run if there are several runs; by host if there are many processes on several hosts
    none,
    host,
    run,
    role,
    step, // for step and all values after it, see LaneGroups
    tool,
    rank,
    gpu,
    communicator
};
inline constexpr std::array<std::string_view, 10> kLaneGroupingNames{
    "automatic", "none", "host", "run", "role", "step", "tool", "rank", "gpu", "communicator"};

struct LaneOptions {
    LaneGrouping grouping = LaneGrouping::automatic;
    QueryLaneList queryLanes = {}; // at the top of the tree, in this order
    SampleLaneChoice samples = {};

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
    // Returns the lanes, parents before their children, top to bottom.
    auto lanes() const
    {
        return std::views::transform(m_places, [](const Place& at) -> const Lane& { return *at.lane; });
    }
    // Returns the parent of a lane; kNoLane at the top level.
    uint32_t parentOf(uint32_t lane) const { return m_places[lane].parent; }
    auto childrenOf(uint32_t lane) const
    {
        const uint32_t first = m_places[lane].first;
        return std::views::transform(*m_places[lane].children,
                                     [first](uint32_t child) { return first + child; });
    }
    // Returns the depth of a lane; 0 at the top level.
    uint16_t levelOf(uint32_t lane) const { return m_places[lane].level; }
    // Returns the lane of the process that contains a lane, or the lane itself if it is that of a process;
    // kNoLane if there is none.
    uint32_t processOf(uint32_t lane) const;
    // Returns the lane with this key, or kNoLane.
    uint32_t find(std::string_view key) const;
    // Returns the lane that has this track among its sources, or kNoLane.
    uint32_t laneOf(TrackRef track) const;
    // Returns "node0 · rank 0 · actor › GPU 0 H100 › stream 7".
    std::string pathOf(uint32_t lane) const;

  private:
    friend class LaneTreeBuilder;

    struct Place {
        const Lane* lane = nullptr;
        const std::vector<uint32_t>* children = nullptr; // numbers of the child lanes, counted from `first`
        uint32_t first = 0;                              // lane number of the process; 0 for groups
        uint32_t parent = kNoLane;
        uint16_t level = 0;
    };
    struct Group {
        Lane lane;
        std::vector<uint32_t> children;
    };
    struct Process {
        std::shared_ptr<const ProcessLanes> lanes;
        uint32_t first = 0; // lane number of the first lane of the process
    };

    std::vector<Place> m_places; // by lane
    std::deque<Group> m_groups;
    std::vector<Process> m_processes;
    std::unordered_map<std::string_view, uint32_t> m_groupOf;   // by key: the lane of the group
    std::unordered_map<std::string_view, uint32_t> m_processOf; // by key: index in m_processes
    std::vector<std::pair<ReportKey, uint32_t>> m_processesOf;  // by report: index in m_processes
};

// Returns the range from the first to the last timestamp in the reports of a workspace, aligned. If the
// workspace has only memory histories without timestamps, they are shown by index, and the axis has one
// microsecond per entry of the longest history.
TimeRange axisOf(const Workspace& workspace, const Alignment& alignment);

// Builds the tree. `lods` has an entry for every report in the workspace. Tracks and counters without rows
// get no lanes, and processes without lanes are omitted. `last` is a tree whose unchanged processes are
// reused; it may show other reports.
LaneTree buildLaneTree(const Workspace& workspace, const Alignment& alignment, const ReportLods& lods,
                       const LaneOptions& options = {}, const LaneTree* last = nullptr);

} // namespace lockstep
