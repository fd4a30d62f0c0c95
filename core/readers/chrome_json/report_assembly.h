// SPDX-License-Identifier: Apache-2.0
// ReportAssembly: puts the rows of all workers into one ReportBuilder once the file is parsed. Only then is
// it known which process the GPU rows belong to, what threads are called, and which halves meet. One thread;
// touches no row.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "core/readers/chrome_json/actor_names.h"
#include "core/readers/chrome_json/event_pairs.h"
#include "core/trace/report_builder.h"

namespace lockstep {

class ReportAssembly {
  public:
    ReportAssembly(std::vector<EventRows>& workers, const SharedFacts& shared, ReportBuilder& builder);

    // Moves everything out of the workers; their notes and counts go into the report.
    // groups: see groupRanks(); devices: see amdDevices().
    void run(const std::map<std::string, std::string, std::less<>>& groups,
             std::span<const int64_t> devices = {});
    // The memory instants of all workers, once. After run().
    std::vector<PlacedInstant> takeMemory();
    // True when a category was met that only PyTorch's profiler writes.
    bool isKineto() const { return m_isKineto; }
    // Returns the number of source traces of a merged trace, or 0 for the trace of one process. Valid after
    // run().
    size_t mergedParts() const { return m_isKineto ? m_gpuOwners.size() - m_gpuOwners.count({}) : 0; }

  private:
    // A lane as all workers mean it. process and thread by ActorNames, category the report's id of an async
    // lane's.
    struct Place {
        int64_t process;
        int64_t thread;
        TrackKind kind;
        int64_t device;
        int64_t stream;
        int64_t context;
        StringId category;

        friend auto operator<=>(const Place&, const Place&) = default;
    };
    using Actors = std::pair<int64_t, int64_t>; // pid, tid

    void mergeNames();
    void chooseGpuOwner();
    void matchDevices(std::span<const int64_t> devices);
    void findXlaStreams();
    bool isXlaStream(const LaneKey& lane, const Place& place) const;
    void collectHalves();
    void makeTracks();
    TrackId makeTrack(const Place& place);
    void moveRows();
    void moveXlaRows(size_t worker, size_t lane, TrackId track, SliceBatch& batch);
    void moveFlows(size_t worker, SliceBatch& batch);
    void moveCounters();
    void nameEntities();
    void nameDevice(std::string_view label);
    void countRows();
    Place placeOf(const LaneKey& lane, size_t worker) const;
    std::string_view partOf(int64_t process) const;
    int64_t gpuOwnerOf(int64_t process) const;
    ProcessId processOf(int64_t number);
    TrackId flowTrack(const FlowRow& row, size_t worker) const;
    int64_t lastStamp() const;

    std::vector<EventRows>& m_workers;
    const SharedFacts& m_shared;
    ReportBuilder& m_builder;
    ActorNames m_actors;
    bool m_isKineto = false;
    StringId m_profilerName;
    // AMD's rows of one GPU name it by its place in the node, and by its number in the process: from, to.
    std::optional<std::pair<int64_t, int64_t>> m_renumbered;
    // Number of the process that owns the GPU rows, by source trace of a merged trace ("" for other traces).
    std::map<std::string, int64_t, std::less<>> m_gpuOwners;
    std::map<Actors, int64_t> m_xlaStreams;           // streams of a trace of XLA -> number of the GPU
    std::vector<std::vector<StringId>> m_names;       // by worker: pool id -> report id
    std::vector<HalfRow> m_halves;                    // lanes and threads numbered by m_places
    std::map<Place, TrackId> m_places;                // places with rows
    std::map<std::string_view, int64_t> m_categories; // of async lanes: text -> number, in order of text
    std::vector<Place> m_halfPlaces;                  // what m_halves' lane and thread mean
    std::map<Actors, std::vector<std::pair<TrackKind, TrackId>>> m_tracksOfThread;
    std::map<int64_t, ProcessId> m_processes;
    std::map<Actors, ThreadId> m_threads;
};

} // namespace lockstep
