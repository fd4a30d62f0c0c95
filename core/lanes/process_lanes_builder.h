// SPDX-License-Identifier: Apache-2.0
// ProcessLanesBuilder: builds the lanes of one process. Used only by buildProcessLanes().
#pragma once

#include "core/lanes/process_lanes.h"

namespace lockstep {

class ProcessLanesBuilder {
  public:
    explicit ProcessLanesBuilder(ProcessLaneSource source);
    std::shared_ptr<const ProcessLanes> build();

    // For files that add lanes of their own, see kOwnLanes.
    using Member = ProcessLaneSource::Member;
    const ProcessLaneSource& source() const { return m_out->m_source; }
    const std::vector<Member>& members() const { return source().members; }
    // Adds a lane. `keyPart` is appended to the parent's key; the lane of the process is 0.
    uint32_t add(LaneSubject subject, uint32_t parent, std::string_view keyPart, std::string label);
    // Valid until the next lane is added.
    Lane& at(uint32_t lane) { return m_out->m_lanes[lane]; }
    // Returns a message about a member, preceded by the file name of the member if the process has several.
    std::string memberNote(const Member& member, const std::string& text) const;

  private:
    // A track in one member of the process.
    struct MemberTrack {
        const Member* member = nullptr;
        TrackId id;

        const Track& track() const { return member->report->track(id); }
    };
    using Tracks = std::vector<MemberTrack>;
    struct MemberCounter {
        const Member* member = nullptr;
        CounterTrackId id;
    };
    struct MemberMemory {
        const Member* member = nullptr;
        uint32_t device = 0; // index in AllocatorReplay::devices
    };
    // A GPU of a process, in all its reports.
    struct Gpu {
        int ordinal = 0;
        int nth = 0; // zero-based index among GPUs with the same ordinal
        std::vector<std::pair<const Member*, DeviceId>> devices;
        Tracks tracks;
        std::vector<MemberCounter> counters;
        std::vector<MemberMemory> memory;
    };
    // A thread of a process, in all its reports.
    struct CpuThread {
        int64_t tid = 0;
        std::string key; // the thread's ID, or its name and its index among threads with that name
        bool isMain = false;
        std::vector<std::pair<const Member*, ThreadId>> threads;
        Tracks tracks;
    };
    // The contents of the lanes of a process.
    struct Parts {
        std::vector<Gpu> gpus;          // by ordinal
        std::vector<CpuThread> threads; // in display order
        Tracks rest;
        std::vector<MemberCounter> counters;
        // memory of the host, and of devices that the report does not list
        std::vector<MemberMemory> memory;
    };

    Lane takeLast();
    Parts partsOf() const;
    void addProcess();
    void markUnaligned(Lane& process) const;
    void markEnded(Lane& process) const;
    void warn(Lane& process, std::string warning, const std::string& note) const;
    void addGpu(const Gpu& gpu);
    void addBusyRows(uint32_t lane, const Gpu& gpu);
    void addProjections(uint32_t parent, const Gpu& gpu);
    void addProjectionLane(uint32_t parent, const std::vector<std::pair<const Member*, DeviceId>>& devices,
                           const std::string& suffix);
    std::vector<uint32_t> projectionsOn(const Member& member, DeviceId device) const;
    void addThread(const CpuThread& thread, bool startsCollapsed);
    void addTrackLanes(uint32_t parent, Tracks tracks);
    void addTrackLane(uint32_t parent, const Tracks& tracks, const std::string& suffix,
                      std::string_view tool);
    void setTracks(uint32_t lane, const Tracks& tracks);
    void setLaneOf(uint32_t lane);
    void addCounters(uint32_t parent, const std::vector<MemberCounter>& counters);
    void addCounter(uint32_t parent, const std::string& name, const std::vector<RowSource>& sources);
    void addMemory(uint32_t parent, const std::vector<MemberMemory>& devices, const std::string& name);
    void addOtherMemory(const std::vector<MemberMemory>& devices);
    void addGpuMemory(uint32_t parent, const std::vector<MemberMemory>& devices);
    void addMemoryLane(uint32_t parent, const std::string& name, std::vector<RowSource> sources,
                       const std::string& others);
    MemorySubject subjectOf(const MemberMemory& of) const;
    void dropLessDetailed(std::vector<RowSource>& sources, std::string& note) const;
    RowSource memorySource(const MemberMemory& of) const;
    TimeRange indexExtent() const;
    void uniteChildren(uint32_t index);
    void summarizeProcess();

    const std::vector<uint32_t>& childrenOf(uint32_t lane) const { return m_out->m_children[lane]; }
    const Member& memberOf(const RowSource& source) const { return *m_memberOf.at(source.report); }
    TimeRange alignedExtent(const RowSource& source) const;
    void extendLastValues(std::vector<RowSource>& counters) const;
    void sortInTime(std::vector<RowSource>& sources) const;
    // Returns the same nonzero ID for all chunks of one recording; 0 for complete reports.
    uint32_t recordingOf(const Member& member) const;
    std::vector<RowSource> outermostRows(const std::vector<RowSource>& tracks) const;

    std::shared_ptr<ProcessLanes> m_out;
    std::map<ReportKey, const Member*> m_memberOf; // the first member, if one report has several
};

} // namespace lockstep
