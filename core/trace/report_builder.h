// SPDX-License-Identifier: Apache-2.0
// ReportBuilder turns what a reader found into a frozen Report: it owns the entities while they are
// collected, then sorts, nests, links and packs. find-or-add functions are thread-safe; everything else
// belongs to one thread.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/progress.h"
#include "core/trace/report.h"
#include "core/trace/slice_batch.h"

namespace lockstep {

class ReportBuilder {
  public:
    ReportBuilder();

    // The report's plain fields (provenance, identity, clock, session, facts, rowCounts, notes, sourceTables,
    // devices' and processes' details, shortNames) are set here directly. Its tables are filled by freeze().
    Report& report() { return *m_report; }

    // Find-or-add; thread-safe. A name is taken when the entity has none yet.
    ProcessId process(uint64_t key, int64_t pid);
    ThreadId thread(ProcessId process, int64_t tid);
    DeviceId device(ProcessId process, int ordinal);
    TrackId track(const TrackKey& key);
    StringId intern(std::string_view text);
    // The text of an interned id while other threads intern; thread-safe. The view lasts until
    // freeze().
    std::string_view text(StringId id);

    void setTrackName(TrackId track, StringId name);
    CounterTrackId addCounterTrack(const CounterTrack& track); // thread-safe
    // Samples of one track in any order; thread-safe per call.
    void addSamples(CounterTrackId track, std::vector<std::pair<int64_t, double>> samples);
    // A link between two slices named by their sources; kept if both exist. Thread-safe.
    void addLink(SourceRow cause, SourceRow effect, LinkKind kind);

    // Takes a worker's rows. names[i] is the report's id for the batch's StringId(i); empty = the batch
    // already uses report ids. Thread-safe. Rows stay where they are until freeze().
    void adopt(SliceBatch&& batch, std::vector<StringId> names = {});

    // Sorts and nests each track, joins correlation ids, binds flows, numbers all by what it is, not by who
    // came first. canceled is the only error. The builder is empty afterwards;
    // the report is the caller's alone until it is shared, and never changes after that.
    Result<std::unique_ptr<Report>> freeze(const Progress& progress);

  private:
    struct Adopted {
        SliceBatch batch;
        std::vector<StringId> names;
    };
    struct KeyHash {
        size_t operator()(const TrackKey& key) const noexcept;
    };
    struct PendingLink {
        SourceRow cause;
        SourceRow effect;
        LinkKind kind;
    };
    friend class ReportFreezer;

    std::mutex m_mutex;
    std::unique_ptr<Report> m_report;
    std::unordered_map<uint64_t, ProcessId> m_processes;
    std::unordered_map<TrackKey, TrackId, KeyHash> m_tracks;
    std::unordered_map<TrackKey, ThreadId, KeyHash> m_threads;      // key: process and lane = tid
    std::unordered_map<TrackKey, DeviceId, KeyHash> m_devices;      // key: process and lane = ordinal
    std::vector<std::vector<std::pair<int64_t, double>>> m_samples; // by CounterTrackId
    std::vector<PendingLink> m_links;
    std::vector<Adopted> m_adopted;
};

} // namespace lockstep
