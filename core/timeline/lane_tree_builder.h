// LaneTreeBuilder: puts the lanes of a LaneTree together, report by report. Used by buildLaneTree() only.
#pragma once

#include <map>
#include <set>
#include <tuple>

#include "core/timeline/lane_tree.h"
#include "core/trace/identity.h"

namespace lockstep {

class LaneTreeBuilder {
  public:
    LaneTreeBuilder(const Workspace& workspace, const Alignment& alignment, const ReportLods& lods,
                    const LaneOptions& options);
    LaneTree build();

  private:
    // A process of a report, or what belongs to none of its processes.
    struct Member {
        ReportId report;
        ProcessId process;
        Identity identity;
        std::vector<TrackId> tracks;
        std::vector<CounterTrackId> counters;
    };

    std::vector<Member> findMembers() const;
    std::vector<std::string> labelsOf(const std::vector<Member>& members) const;
    void chooseGroups(const std::vector<Member>& members);
    bool comesBefore(const Member& a, const Member& b) const;
    uint32_t add(LaneKind kind, uint32_t parent, std::string_view keyPart, std::string label);
    uint32_t groupFor(const Member& member);
    void addMember(const Member& member, const std::string& label);
    void addDataLoss(uint32_t parent, ReportId report);
    void addGpu(uint32_t process, const Member& member, DeviceId device, const std::vector<TrackId>& tracks);
    void addThreads(uint32_t process, const Member& member,
                    const std::map<ThreadId, std::vector<TrackId>>& threads);
    uint32_t addThread(uint32_t process, const Member& member, ThreadId thread,
                       const std::vector<TrackId>& tracks);
    void addTrackLanes(uint32_t parent, const Member& member, std::vector<TrackId> tracks);
    void addCounters(uint32_t parent, const Member& member, DeviceId device);
    void setTracks(uint32_t lane, ReportId report, const std::vector<TrackId>& tracks);
    void setLaneOf(uint32_t lane);
    void summarizeProcess(uint32_t process);
    void chooseCollapsed(size_t members);

    const Report& report(ReportId id) const { return m_workspace.report(id); }

    const Workspace& m_workspace;
    const Alignment& m_alignment;
    const ReportLods& m_lods;
    LaneOptions m_options;
    bool m_groupsRuns = false;
    bool m_groupsHosts = false;
    LaneTree m_tree;
    std::set<std::string> m_keys;
    std::map<std::string, uint32_t> m_groups;
    std::set<ReportId> m_shownLoss;
};

} // namespace lockstep
