// SPDX-License-Identifier: Apache-2.0
// ReportBuilder turns the data from a reader into a frozen Report: it owns the entities while they are
// collected, then sorts, nests, links and packs them. The find-or-add functions are thread-safe; everything
// else belongs to one thread.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
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

    // Returns the report, so that readers can set its plain fields directly (provenance, identity, clock,
    // session, facts, rowCounts, notes, sourceTables, details of devices and processes, shortNames). freeze()
    // fills the tables.
    Report& report() { return *m_report; }

    // Finds or adds an entity; thread-safe. A name is used only if the entity has none yet.
    ProcessId process(uint64_t key, int64_t pid);
    ThreadId thread(ProcessId process, int64_t tid);
    DeviceId device(ProcessId process, int ordinal);
    TrackId track(const TrackKey& key);
    StringId intern(std::string_view text);
    // Returns the string of an ID, even while other threads intern strings; thread-safe. The view is valid
    // until freeze().
    std::string_view text(StringId id);

    // The sets of details to which SliceRow::factSet() refers. Thread-safe.
    FactSets& factSets() { return m_factSets; }

    void setTrackName(TrackId track, StringId name);
    CounterTrackId addCounterTrack(const CounterTrack& track); // thread-safe
    // Adds samples of one track, in any order. Thread-safe per call.
    void addSamples(CounterTrackId track, std::vector<std::pair<int64_t, double>> samples);
    // Adds a link between two slices, which are identified by their sources. The link is dropped if one of
    // the slices does not exist. Thread-safe.
    void addLink(SourceRow cause, SourceRow effect, LinkKind kind);

    // Slice positions for the rows of a report's SampleTables: samples (absent for a sample without times),
    // spans and weight updates. freeze() sets the `slice` members of the tables from them.
    struct SampleSources {
        std::vector<std::optional<SourceRow>> samples;
        std::vector<SourceRow> spans;
        std::vector<SourceRow> weightUpdates;
    };
    // Sets the tables of samples, whose rows refer to entities and strings of this builder. The tables need
    // not be sorted, and spansBySample is not read.
    void setSamples(SampleTables tables, SampleSources sources);

    // Takes ownership of a worker's rows. names[i] is the report's ID for StringId(i) of the batch; if
    // `names` is empty, the batch already uses report IDs. Thread-safe. Rows are not moved before freeze().
    void adopt(SliceBatch&& batch, std::vector<StringId> names = {});

    // Sorts and nests each track, joins correlation IDs, binds flows, and numbers everything by content
    // rather than by order of arrival. The only possible error is ErrorKind::canceled. Afterwards the builder
    // is empty. The report belongs to the caller until it is shared, and never changes after that.
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
    // the key contains the process, and the tid as lane
    std::unordered_map<TrackKey, ThreadId, KeyHash> m_threads;
    // the key contains the process, and the ordinal as lane
    std::unordered_map<TrackKey, DeviceId, KeyHash> m_devices;
    std::vector<std::vector<std::pair<int64_t, double>>> m_samples; // by CounterTrackId
    FactSets m_factSets;
    std::vector<PendingLink> m_links;
    SampleSources m_sampleSources;
    std::vector<Adopted> m_adopted;
};

} // namespace lockstep
