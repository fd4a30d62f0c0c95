// SPDX-License-Identifier: Apache-2.0
#include "core/readers/nsys_sqlite/export_import.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>

#include "core/readers/nsys_sqlite/export_reading.h"
#include "core/readers/nsys_sqlite/global_id.h"
#include "core/readers/nsys_sqlite/small_table.h"
#include "core/trace/enclosing_ranges.h"
#include "core/trace/memory_history.h"

namespace lockstep {

namespace {

// Finds, in the frozen report, the API calls that belong to events.
class MemoryCalls {
  public:
    MemoryCalls(const Report& report, std::span<const RoleCall> calls)
    {
        std::unordered_map<uint64_t, ProcessNumber> wanted; // by SourceRow::packed
        for (const RoleCall& call : calls) {
            if (call.role == CallRole::memory) wanted.try_emplace(call.source.packed, call.correlation);
        }
        if (wanted.empty()) return;
        for (const Track& track : report.tracks) {
            if (track.key.kind != TrackKind::cudaApi) continue;
            for (uint32_t i = 0; i < track.sliceCount; ++i) {
                const SliceId id(track.firstSlice.value + i);
                const auto found = wanted.find(report.slices.source[id.value].packed);
                if (found != wanted.end())
                    m_calls.try_emplace(found->second, std::pair(id, track.key.thread));
            }
        }
    }

    // Returns nullptr if the file has no such call.
    const std::pair<SliceId, ThreadId>* of(const ProcessNumber& correlation) const
    {
        const auto found = m_calls.find(correlation);
        return found == m_calls.end() ? nullptr : &found->second;
    }

  private:
    std::unordered_map<ProcessNumber, std::pair<SliceId, ThreadId>, ProcessNumberHash> m_calls;
};

class DriverMemory {
  public:
    DriverMemory(Report& report, std::span<const RoleCall> calls)
        : m_report(report), m_calls(report, calls), m_ranges(report, kKinds), m_history(report)
    {
        for (size_t i = 0; i < report.processes.size(); ++i)
            m_processes.try_emplace(report.processes[i].key, i);
    }

    void add(const DriverMemoryEvent& event)
    {
        const auto process = m_processes.find(processKeyOf(event.globalPid));
        const auto kind = static_cast<MemoryKind>(event.kind);
        const bool isOfHost = kind == MemoryKind::pinned || kind == MemoryKind::pageable;
        const auto ordinal = static_cast<int32_t>(std::clamp<int64_t>(event.device, 0, 1'000'000));
        MemoryRow row;
        row.subject = m_history.subject({MemoryRecorder::cudaDriver, kind, isOfHost ? -1 : ordinal,
                                         process == m_processes.end() ? ProcessId() : process->second});
        row.time_ns = event.time_ns;
        row.order = static_cast<uint64_t>(event.row);
        row.address = static_cast<uint64_t>(event.address);
        row.size_bytes = static_cast<uint64_t>(event.size_bytes);
        row.action = event.isRelease ? MemoryAction::freeCompleted : MemoryAction::alloc;
        if (!event.isRelease && event.correlation != kNoCorrelation)
            row.stack = stackOf({processKeyOf(event.globalPid), event.correlation});
        m_history.add(row);
    }

    Status finish(const Progress& progress) { return m_history.finish(progress); }

  private:
    static constexpr std::array kKinds{TrackKind::cudaApi, TrackKind::nvtx};

    MemoryStackId stackOf(const ProcessNumber& correlation)
    {
        const auto* const call = m_calls.of(correlation);
        if (call == nullptr) return {};
        const auto& [slice, thread] = *call;
        std::vector<MemoryFrameId> frames{m_history.frame(m_report.slices.name[slice.value])};
        for (const SliceId id : m_ranges.at(thread, m_report.slices.start_ns[slice.value])) {
            if (id != slice) frames.push_back(m_history.frame(m_report.slices.name[id.value]));
        }
        return m_history.stack(frames);
    }

    Report& m_report;
    MemoryCalls m_calls;
    EnclosingRanges m_ranges;
    MemoryHistory m_history;
    std::unordered_map<uint64_t, ProcessId> m_processes; // by key
};

// Adds the driver allocations of each process (CUDA_GPU_MEMORY_USAGE_EVENTS), by GPU and kind of memory, to
// `report`, which must not be shared yet. For PyTorch these are allocator segments, not tensors. The stack of
// a block is the API call with the block's correlation ID, inside the NVTX ranges of the call's thread. Does
// nothing if there are no events. The only possible error is ErrorKind::canceled. O(n log n + API calls).
Status addDriverMemory(Report& report, std::span<const DriverMemoryEvent> events,
                       std::span<const RoleCall> calls, const Progress& progress)
{
    constexpr size_t kBetweenChecks = size_t(1) << 16;
    if (events.empty()) return {};
    DriverMemory memory(report, calls);
    for (size_t i = 0; i < events.size(); ++i) {
        if (i % kBetweenChecks == 0) LOCKSTEP_TRY(progress.check());
        memory.add(events[i]);
    }
    return memory.finish(progress);
}

// TrackKey::lane for library tracks; no known table uses lanes from this value on
constexpr int64_t kFirstCallLane = 200;
constexpr size_t kRangeBytes = size_t(16) << 20; // small enough to keep all workers busy to the end

template<class T>
void append(std::vector<T>& to, std::vector<T>&& from)
{
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

// Adds a note if the capture does not contain the GPU work. nsys can exit with 0 and write a report without
// any kernel if CUPTI failed or the driver denied access. Without this note, the GPU would look idle.
void noteMissingKernels(Report& report)
{
    uint64_t launches = 0, graphs = 0, kernels = 0;
    for (size_t i = 0; i < report.slices.size(); ++i) {
        const RowKind kind = report.slices.kind[i];
        graphs += kind == RowKind::graphLaunch;
        kernels += kind == RowKind::kernel;
        if (!isCudaApi(kind)) continue;
        const std::string_view name = report.nameOf(SliceId(static_cast<uint32_t>(i)));
        launches += name.starts_with("cudaLaunchKernel") || name.starts_with("cuLaunchKernel") ||
                    name.starts_with("cudaGraphLaunch") || name.starts_with("cuGraphLaunch");
    }
    if (graphs > 0)
        report.notes.add(
            "graph.kernels_unseen", NoteSeverity::info,
            "CUDA graphs recorded as a whole: the GPU counts as busy, but the kernels inside are "
            "missing from kernel tables; record with --cuda-graph-trace=node to see them",
            "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", graphs);
    if (launches == 0 || graphs + kernels > 0) return;
    report.notes.add(
        "kernel.none_recorded", NoteSeverity::dataLoss,
        "kernel launches in a report without kernels: GPU work was not recorded, so GPU idle time is "
        "unknown. Profile again; if kernels are still missing, set CuptiUseRawGpuTimestamps=false in "
        "the nsys configuration",
        "CUPTI_ACTIVITY_KIND_RUNTIME", launches);
}

} // namespace

ExportImport::ExportImport(const std::filesystem::path& file, Provenance provenance, SchemaProbe schema,
                           const Progress& progress)
    : m_reading{file, std::move(schema), {}, {}, {}, {}, m_builder, progress, {}, {}, {}, {}, {}, {}, {}, {},
                {}}
{
    report().provenance = std::move(provenance);
}

Result<std::unique_ptr<Report>> ExportImport::run(const SqliteDatabase& database)
{
    const ExportFacts facts = readExportFacts(database, m_reading.schema, report().notes);
    if (database.missingBytes() > 0) {
        report().notes.add(
            "file.cut_short", NoteSeverity::dataLoss,
            "the file is shorter than its header states: the readable part is shown. Copy the file again, "
            "or export the report again",
            std::to_string(database.missingBytes()) + " bytes are missing");
    }
    m_reading.version = facts.version();
    describeExport(facts, report());
    readSessionClock(database, m_reading.schema, facts, report());
    m_reading.strings =
        LOCKSTEP_TRY(StringIds::load(database, m_reading.schema, m_builder, m_reading.progress));
    m_reading.payloads = PayloadSchemas::load(database, m_reading.schema, report().notes);
    m_reading.genericTypes = GenericEventTypes(database, m_reading.schema, m_reading.strings, m_builder);
    m_reading.network = NetworkNames(database, m_reading.schema, report().notes);
    const EntityNames names(database, m_reading.schema, facts, m_reading.strings, m_builder);
    m_reading.priorities = names.priorities();
    m_file = PageFile::open(m_reading.file);
    planTables(database);
    readPass(m_first);
    LOCKSTEP_TRY(m_reading.progress.check());
    prepareSecondPass(database);
    readPass(m_second);
    LOCKSTEP_TRY(m_reading.progress.check());
    closeOpenRows();
    linkEvents();
    addCounters(names);
    names.apply(m_builder, m_found);
    learnRanks(facts);
    addCollectives();
    writeRowCounts();
    noteUnread(database);
    addSideFacts(database);
    append(report().facts, std::move(m_found.facts));
    report().shortNames = std::move(m_found.shortNames);
    auto frozen = LOCKSTEP_TRY(m_builder.freeze(m_reading.progress));
    LOCKSTEP_TRY(addDriverMemory(*frozen, m_found.memory, m_found.calls, m_reading.progress));
    noteMissingKernels(*frozen);
    return frozen;
}

void ExportImport::planTables(const SqliteDatabase& database)
{
    for (const TableReader& reader : tableReaders()) {
        if (!m_reading.schema.has(reader.table)) continue;
        const auto table = static_cast<uint8_t>(report().sourceTables.size());
        report().sourceTables.emplace_back(reader.table);
        planTable(database, reader, table);
    }
    planCallTables(database);
}

// Plans the reading of tables from newer nsys versions if their rows are calls.
void ExportImport::planCallTables(const SqliteDatabase& database)
{
    constexpr size_t kMaxTables = 255; // SourceRow::table
    for (const auto& [table, columns] : m_reading.schema.tables()) {
        const auto lane = kFirstCallLane + static_cast<int64_t>(m_callReaders.size());
        if (isRead(table) || isSideTable(table) || report().sourceTables.size() == kMaxTables) continue;
        const auto reader = callTableReader(table, m_reading.schema, lane);
        if (!reader) continue;
        m_callReaders.push_back(*reader);
        const auto number = static_cast<uint8_t>(report().sourceTables.size());
        report().sourceTables.push_back(table);
        planTable(database, m_callReaders.back(), number);
    }
}

void ExportImport::planTable(const SqliteDatabase& database, const TableReader& reader, uint8_t table)
{
    if (!m_reading.schema.has(reader.table, reader.columns[0]) && reader.counted != CountedRows::sample &&
        reader.table != "CUPTI_ACTIVITY_KIND_CUDA_EVENT") {
        report().notes.add("table.unreadable", NoteSeverity::dataLoss,
                           "tables without the column that places their rows in time: not shown",
                           std::string(reader.table) + " has no column " + std::string(reader.columns[0]));
        return;
    }
    std::vector<Range>& ranges = reader.isSecond ? m_second : m_first;
    auto pages = TablePages::of(m_file, database, reader.table, reader.columns);
    if (!pages) {
        ranges.push_back({&reader, table});
        return;
    }
    if (pages->badPages() > 0) {
        report().notes.add("table.cut_short", NoteSeverity::dataLoss, kTableDamage,
                           std::string(reader.table) + ": missing or damaged pages", pages->badPages());
    }
    m_reading.rowsTotal += pages->estimatedRows();
    const size_t leaves = pages->leaves().size();
    const size_t step = reader.splits ? std::max<size_t>(1, kRangeBytes / m_file->pageSize()) : leaves;
    m_pages.push_back(std::make_unique<const TablePages>(std::move(*pages)));
    for (size_t first = 0; first < leaves; first += step) {
        ranges.push_back({&reader, table, m_pages.back().get(), first, std::min(leaves, first + step)});
    }
}

void ExportImport::readPass(const std::vector<Range>& ranges)
{
    std::vector<ScanResult> results(ranges.size());
    m_reading.progress.workers().run(ranges.size(), [&](size_t index, size_t) {
        if (!m_reading.progress.isCanceled()) results[index] = readRange(ranges[index]);
    });
    for (ScanResult& result : results)
        merge(std::move(result));
}

void ExportImport::prepareSecondPass(const SqliteDatabase& database)
{
    m_reading.genericValues = std::move(m_found.genericValues);
    std::ranges::sort(m_reading.genericValues);
    m_reading.sampleSymbols = std::move(m_found.sampleSymbols);
    std::ranges::sort(m_reading.sampleSymbols, {}, &std::pair<int64_t, StringId>::first);
    m_reading.files = FileAccesses(database, m_reading.schema, report());
    for (const RoleCall& call : m_found.calls)
        m_reading.calls.try_emplace(call.correlation, call);
    for (const Track& track : report().tracks) {
        if (!track.key.device.isValid()) continue;
        const uint64_t process = report().processes[track.key.process.value].key;
        // If tracks disagree, 0 is the wrong value (see ExportReading). The result does not depend on the
        // order of tracks.
        int64_t& device = m_reading.deviceOfContext[{process, static_cast<uint64_t>(track.key.context)}];
        device = std::max<int64_t>(device, report().devices[track.key.device.value].ordinal);
    }
}

ScanResult ExportImport::readRange(const Range& range) const
{
    const auto scanned = [&](RowCursor&& rows) -> ScanResult {
        TableScan scan(m_reading, *range.reader, range.table, std::move(rows));
        range.reader->read(scan);
        return std::move(scan.result());
    };
    if (range.pages != nullptr) return scanned(RowCursor(*range.pages, range.firstLeaf, range.lastLeaf));
    const auto prepare = [&]() -> Result<SqliteQuery> {
        const SqliteDatabase database = LOCKSTEP_TRY(SqliteDatabase::open(m_reading.file));
        return database.query(m_reading.schema.select(range.reader->table, range.reader->columns));
    };
    auto query = prepare(); // the prepared statement keeps its connection open
    if (query) return scanned(RowCursor(std::move(*query)));
    ScanResult failed;
    failed.notes.add("table.unreadable", NoteSeverity::dataLoss, "tables that could not be read",
                     std::string(range.reader->table) + ": " + query.error().message);
    return failed;
}

void ExportImport::merge(ScanResult&& result)
{
    ScanFindings& from = result.findings;
    for (size_t i = 0; i < from.counts.size(); ++i)
        m_found.counts[i] += from.counts[i];
    std::vector<StringId> names = result.names.reportIds(m_builder);
    for (OpenRow& open : from.open) {
        if (!names.empty()) open.row.name = names[open.row.name.value];
    }
    for (RecordedCollective& stated : from.collectives) {
        for (StringId* const name : {&stated.op.collective, &stated.op.group, &stated.op.dataType}) {
            if (name->isValid()) *name = names[name->value];
        }
    }
    append(m_found.collectives, std::move(from.collectives));
    append(m_found.communicators, std::move(from.communicators));
    m_found.payloads += from.payloads;
    append(m_found.shortNames, std::move(from.shortNames));
    append(m_found.open, std::move(from.open));
    append(m_found.domains, std::move(from.domains));
    append(m_found.threads, std::move(from.threads));
    append(m_found.calls, std::move(from.calls));
    append(m_found.memory, std::move(from.memory));
    append(m_found.records, std::move(from.records));
    append(m_found.waits, std::move(from.waits));
    append(m_found.counters, std::move(from.counters));
    append(m_found.genericValues, std::move(from.genericValues));
    append(m_found.sampleSymbols, std::move(from.sampleSymbols));
    append(m_found.facts, std::move(from.facts));
    append(m_found.ranks, std::move(from.ranks));
    m_found.latestEnd_ns = std::max(m_found.latestEnd_ns, from.latestEnd_ns);
    report().notes.merge(result.notes);
    m_builder.adopt(std::move(result.batch), std::move(names));
}

// Extends open rows to the end of the capture, or to the last end of any row if the end of the capture is
// unknown.
void ExportImport::closeOpenRows()
{
    if (m_found.open.empty()) return;
    const int64_t end_ns = report().session.isEmpty() ? m_found.latestEnd_ns : report().session.end.ns;
    SliceBatch batch;
    for (OpenRow& open : m_found.open) {
        open.row.duration_ns = std::max<int64_t>(0, end_ns - open.row.start_ns);
        batch.add(open.track, open.row);
    }
    report().notes.add("rows.open_end", NoteSeverity::info,
                       "ranges and calls still open when the capture ended: drawn up to its end",
                       report().sourceTables[m_found.open[0].row.source.table()] + " row " +
                           std::to_string(m_found.open[0].row.source.row()),
                       m_found.open.size());
    m_builder.adopt(std::move(batch));
}

void ExportImport::linkEvents()
{
    std::map<ProcessNumber, SourceRow> recorded(m_found.records.begin(), m_found.records.end());
    for (const auto& [number, wait] : m_found.waits) {
        if (const auto record = recorded.find(number); record != recorded.end()) {
            m_builder.addLink(record->second, wait, LinkKind::recordWait);
        }
    }
}

void ExportImport::addCounters(const EntityNames& names)
{
    using Key = std::tuple<uint64_t, int64_t, uint64_t, int64_t, std::string>;
    std::map<Key, CounterTrackId> tracks;
    for (CounterRun& run : m_found.counters) {
        const auto [entry, isNew] = tracks.try_emplace(
            {run.globalPid, run.device, run.typeId, run.metric, run.name}, CounterTrackId());
        if (isNew) {
            std::string name = run.metric >= 0 ? names.metricName(run.typeId, run.metric) : run.name;
            CounterTrack track;
            if (const size_t bracket = name.rfind(" [");
                bracket != std::string::npos && name.ends_with(']')) {
                // gives, for example, "Throughput %"
                const std::string description = name.substr(bracket + 2, name.size() - bracket - 3);
                track.unit = m_builder.intern(description.substr(description.rfind(' ') + 1));
                if (run.globalPid != 0) name.resize(bracket);
            }
            track.name = m_builder.intern(name);
            if (run.globalPid != 0)
                track.process = m_builder.process(processKeyOf(run.globalPid), pidOf(run.globalPid));
            if (run.device >= 0) track.device = m_builder.device(track.process, static_cast<int>(run.device));
            entry->second = m_builder.addCounterTrack(track);
        }
        m_builder.addSamples(entry->second, std::move(run.samples));
    }
}

void ExportImport::learnRanks(const ExportFacts& facts)
{
    std::vector<uint32_t> gpuProcesses;
    for (const Track& track : report().tracks) {
        if (track.key.device.isValid() || track.key.kind == TrackKind::cudaApi) {
            gpuProcesses.push_back(track.key.process.value);
        }
    }
    std::ranges::sort(gpuProcesses);
    gpuProcesses.erase(std::unique(gpuProcesses.begin(), gpuProcesses.end()), gpuProcesses.end());
    readLaunchIdentity(facts, gpuProcesses.size(), report().identity);
    for (const auto& [globalTid, rank] : m_found.ranks) {
        if (rank < 0 || rank >= 1 << 24) continue;
        const ProcessId process = m_builder.process(processKeyOf(globalTid), pidOf(globalTid));
        report().processes[process.value].identity.rank.learn(static_cast<int>(rank), "MPI_RANKS.rank",
                                                              Confidence::confirmed);
        if (m_found.ranks.size() == 1) {
            report().identity.rank.learn(static_cast<int>(rank), "MPI_RANKS.rank", Confidence::confirmed);
        }
    }
    if (gpuProcesses.size() != 1) return;
    Identity& process = report().processes[gpuProcesses[0]].identity;
    if (!process.rank.isKnown()) process.rank = report().identity.rank;
    process.localRank = report().identity.localRank;
    process.worldSize = report().identity.worldSize;
}

} // namespace lockstep
