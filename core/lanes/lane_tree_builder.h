// SPDX-License-Identifier: Apache-2.0
// LaneTreeBuilder: builds a LaneTree: its processes, their order, groups and labels. Used only by
// buildLaneTree().
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/lanes/lane_tree.h"
#include "core/lanes/shown_process.h"

namespace lockstep {

class LaneTreeBuilder {
  public:
    LaneTreeBuilder(const Workspace& workspace, const Alignment& alignment, const ReportLods& lods,
                    const LaneOptions& options, const LaneTree* last);
    LaneTree build();

  private:
    void chooseGroups(const std::vector<ShownProcess>& processes);
    std::vector<ShownProcess> inOrder(std::vector<ShownProcess> processes) const;
    bool comesBefore(const ShownProcess& a, const ShownProcess& b) const;
    void shortenLabel(const ShownProcess& shown, std::string& label) const;
    void placeQueries();
    uint32_t groupFor(const ShownProcess& shown);
    uint32_t addGroup(uint32_t parent, std::string key, std::string label);
    uint32_t enterGroup(uint32_t parent, const std::string& word, const std::string& name,
                        const std::string& nameless);
    std::string uniqueKey(const ShownProcess& shown) const;
    ProcessLaneSource sourceOf(const ShownProcess& shown, std::string label, size_t processes);
    // Reuses the lanes of the last tree if they were built from an equal source.
    std::shared_ptr<const ProcessLanes> lanesOf(ProcessLaneSource source) const;
    void place(uint32_t group, std::shared_ptr<const ProcessLanes> lanes);
    void finishGroups();
    void describeMap(LaneTree::Group& group) const;

    LaneTree::Group& groupAt(uint32_t index) { return m_tree.m_groups[m_groupAt.at(index)]; }

    const Workspace& m_workspace;
    const Alignment& m_alignment;
    const ReportLods& m_lods;
    LaneOptions m_options;
    const LaneTree* m_last;
    bool m_groupsRuns = false;
    bool m_groupsHosts = false;
    bool m_groupsRoles = false;
    bool m_hasKnownRoles = false;
    LaneTree m_tree;
    std::map<uint32_t, size_t> m_groupAt; // by lane: index in the groups of the tree
    std::set<ReportKey> m_shownLoss;
};

} // namespace lockstep
