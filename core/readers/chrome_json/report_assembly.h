// SPDX-License-Identifier: Apache-2.0
// ReportAssembly moves the rows of all workers into one ReportBuilder after the file is parsed. Only then are
// the owner process of GPU rows, the names of threads, and the pairs of halves known. One thread; does not
// access individual rows.
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

    // Moves everything out of the workers; their notes and counts go to the report. See groupRanks() for
    // `groups` and amdDevices() for `devices`.
    void run(const std::map<std::string, std::string, std::less<>>& groups,
             std::span<const int64_t> devices = {});
    // Returns the memory instants of all workers. Call it once, after run().
    std::vector<PlacedInstant> takeMemory();
    // Returns true if any category occurred that only PyTorch's profiler writes.
    bool isKineto() const { return m_isKineto; }
    // Returns the number of source traces of a merged trace, or 0 for the trace of one process. Valid after
    // run().
    size_t mergedParts() const { return m_isKineto ? m_gpuOwners.size() - m_gpuOwners.count({}) : 0; }

  private:
    // A lane with IDs that are common to all workers: process and thread from ActorNames; for an async lane,
    // the report's string ID of the category.
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
    using Actors = std::pair<int64_t, int64_t>; // (pid, tid)

    void mergeNames();
    void chooseGpuOwner();
    void matchDevices(std::span<const int64_t> devices);
    void findXlaStreams();
    void findStarts();
    bool isXlaStream(const LaneKey& lane, const Place& place) const;
    void collectHalves();
    void makeTracks();
    TrackId makeTrack(const Place& place);
    void moveRows();
    void moveXlaRows(size_t worker, size_t lane, TrackId track, SliceBatch& batch);
    void moveRestartedRows(size_t worker, size_t lane, const Place& place, SliceBatch& batch);
    TrackId restartedTrack(const Place& place, size_t start);
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
    int64_t lastTimestamp() const;

    std::vector<EventRows>& m_workers;
    const SharedFacts& m_shared;
    ReportBuilder& m_builder;
    ActorNames m_actors;
    bool m_isKineto = false;
    StringId m_profilerName;
    // The rows of one AMD GPU identify the GPU by its number in the node or by its number in the process. The
    // pair contains the number to replace and the number to use instead.
    std::optional<std::pair<int64_t, int64_t>> m_renumbered;
    // ID of the process that owns the GPU rows, keyed by the source trace of a merged trace ("" for other
    // traces).
    std::map<std::string, int64_t, std::less<>> m_gpuOwners;
    std::map<Actors, int64_t> m_xlaStreams; // streams of an XLA trace -> ordinal of the GPU
    // Starts of a process that appended to the file of an earlier run: where each begins, and its name.
    struct Start {
        uint64_t offset = 0;
        std::string_view name;
    };
    std::map<int64_t, std::vector<Start>> m_starts; // by process, in file order
    // by worker: string ID in the worker's pool -> string ID in the report
    std::vector<std::vector<StringId>> m_names;
    std::vector<HalfRow> m_halves;     // lanes and threads are numbered by m_places
    std::map<Place, TrackId> m_places; // places that have rows
    // categories of async lanes: string -> ID, in alphabetical order
    std::map<std::string_view, int64_t> m_categories;
    std::vector<Place> m_halfPlaces; // places, indexed by the numbers in m_halves
    std::map<Actors, std::vector<std::pair<TrackKind, TrackId>>> m_tracksOfThread;
    std::map<int64_t, ProcessId> m_processes;
    std::map<Actors, ThreadId> m_threads;
};

} // namespace lockstep
