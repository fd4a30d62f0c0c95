// LaneTreeBuilder: puts the lanes of a LaneTree together, process by process. Used by buildLaneTree() only.
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
                    const LaneOptions& options);
    LaneTree build();

  private:
    using Tracks = std::vector<TrackRef>;

    struct CounterRef {
        ReportKey report;
        CounterTrackId counter;
    };
    // One GPU of a process in all its reports.
    struct Gpu {
        int ordinal = 0;
        int nth = 0; // of equal ordinals
        std::vector<std::pair<ReportKey, DeviceId>> devices;
        Tracks tracks;
        std::vector<CounterRef> counters;
    };
    // One thread of a process in all its reports.
    struct CpuThread {
        int64_t tid = 0;
        std::string key; // what it is called by: its id, or its name and place among those called alike
        bool isMain = false;
        std::vector<std::pair<ReportKey, ThreadId>> threads;
        Tracks tracks;
    };
    // What the lanes of a process are made of.
    struct Parts {
        std::vector<Gpu> gpus;          // by ordinal
        std::vector<CpuThread> threads; // as they stand under each other
        Tracks rest;
        std::vector<CounterRef> counters;
    };

    void chooseGroups(const std::vector<ShownProcess>& processes);
    bool comesBefore(const ShownProcess& a, const ShownProcess& b) const;
    // keyPart: behind the parent's key; of a process it is the whole key, wherever it is grouped.
    uint32_t add(LaneSubject subject, uint32_t parent, std::string_view keyPart, std::string label);
    uint32_t groupFor(const ShownProcess& shown);
    void shortenLabel(const ShownProcess& shown, std::string& label) const;

    void addProcess(const ShownProcess& shown, const std::string& label);
    Parts partsOf(const ShownProcess& shown) const;
    void markUnplaced(uint32_t process, const ShownProcess& shown);
    void addDataLoss(uint32_t process, const ShownProcess& shown);
    void addGpu(uint32_t process, const ShownProcess& shown, const Gpu& gpu);
    void addThread(uint32_t process, const CpuThread& thread, bool startsCollapsed);
    void addTrackLanes(uint32_t parent, Tracks tracks);
    void addTrackLane(uint32_t parent, const Tracks& tracks, const std::string& suffix,
                      std::string_view tool);
    void setTracks(uint32_t lane, const Tracks& tracks);
    void setLaneOf(uint32_t lane);
    void addCounters(uint32_t parent, const std::vector<CounterRef>& counters);
    void addCounter(uint32_t parent, const std::string& name, const std::vector<RowSource>& sources);
    void uniteChildren(uint32_t index);
    void summarizeProcess(uint32_t process);
    void describeMap(Lane& lane) const;
    void chooseCollapsed(size_t processes);

    const Report& report(ReportKey id) const { return m_workspace.report(id); }
    const Track& track(TrackRef ref) const { return report(ref.report).track(ref.track); }
    const ReportLod& lod(ReportKey id) const { return *m_lods[id]; }
    RowSource trackSource(TrackRef ref) const;
    std::vector<RowSource> outermostRows(const std::vector<RowSource>& tracks) const;
    TimeRange alignedExtent(const RowSource& source) const;

    const Workspace& m_workspace;
    const Alignment& m_alignment;
    const ReportLods& m_lods;
    LaneOptions m_options;
    bool m_groupsRuns = false;
    bool m_groupsHosts = false;
    bool m_groupsRoles = false;
    bool m_knowsRoles = false;
    LaneTree m_tree;
    std::map<std::string, uint32_t> m_groups;
    std::set<ReportKey> m_shownLoss;
};

} // namespace lockstep
