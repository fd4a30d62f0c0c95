// SPDX-License-Identifier: Apache-2.0
// ExportReading: what the table readers of one export share while it is read, and what they hand back besides
// slices. Made by readNsysExport(); its findings are merged between the two waves of tables, in table and row
// order, so that a report does not depend on which worker was faster.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/progress.h"
#include "core/readers/nsys_sqlite/file_accesses.h"
#include "core/readers/nsys_sqlite/generic_events.h"
#include "core/readers/nsys_sqlite/network_names.h"
#include "core/readers/nsys_sqlite/payload_schemas.h"
#include "core/readers/nsys_sqlite/schema_probe.h"
#include "core/readers/nsys_sqlite/string_ids.h"
#include "core/trace/report_builder.h"

namespace lockstep {

// What an inventory counts: rows of the file by kind, as plain SQL would.
enum class CountedRows : uint8_t {
    kernel,
    memcpy,
    memset,
    graphLaunch,
    synchronization,
    cudaEvent,
    runtimeApi,
    driverApi,
    otherApi, // CUPTI_ACTIVITY_KIND_RUNTIME by eventClass 0, 1, the rest
    nvtxPushPop,
    nvtxStartEnd,
    nvtxMark,
    nvtxOther, // NVTX_EVENTS by eventType 59/70, 60/71, 34/65, the rest
    osRuntime,
    scheduling,
    sample,
    overhead,
    memoryUsage,
    gpuMetric,
    genericEvent,
    networkMetric,
    graphEvent,
    libraryApi,
    pageFault,
    memoryPool,
    contextSwitch,
    fileAccess,
    otherCall, // of tables that only look like calls
    diagnostic,
    count
};

// The word in Report::rowCounts, e.g. "nvtx_pushpop".
std::string_view countedRowsName(CountedRows kind);

// EXPORT_SCHEMA_VERSION; 0.0 where the export does not say.
struct SchemaVersion {
    int64_t major = 0;
    int64_t minor = 0;

    friend auto operator<=>(const SchemaVersion&, const SchemaVersion&) = default;
};

// A number that is unique within one process: a correlation id or an eventSyncId.
struct ProcessNumber {
    uint64_t processKey = 0;
    uint64_t number = 0;

    friend auto operator<=>(const ProcessNumber&, const ProcessNumber&) = default;
};

struct ProcessNumberHash {
    size_t operator()(const ProcessNumber& n) const noexcept
    {
        return (n.processKey ^ n.number * 0x9E3779B97F4A7C15ull) * 0xC2B2AE3D27D4EB4Full >> 7;
    }
};

// What an API call waits for or records, or that it gets or gives back memory, by its name. The file's own
// numbers for it contradict each other between exporter versions.
enum class CallRole : uint8_t {
    none,
    eventWait,
    streamWaitEvent,
    streamWait,
    contextWait,
    eventRecord,
    memory
};

struct RoleCall {
    ProcessNumber correlation;
    CallRole role = CallRole::none;
    SourceRow source;
};

// A range that was still open when the capture ended; it gets its end once all tables are read.
struct OpenRow {
    TrackId track;
    SliceRow row;
};

// The name a file gives to an NVTX domain of a process, or to a thread.
struct DomainName {
    uint64_t processKey = 0;
    int64_t domain = 0;
    StringId name;
};
struct ThreadName {
    uint64_t globalTid = 0;
    StringId name;
};

// A communication as its NVTX range states it, and what its communicator's set-up told of it.
struct StatedCollective {
    SourceRow source;
    uint64_t processKey = 0;
    uint64_t communicator = 0;
    CollectiveOp op;
};
struct Communicator {
    uint64_t processKey = 0;
    uint64_t number = 0;
    uint32_t rankCount = CollectiveOp::kAbsent;
    uint32_t rank = CollectiveOp::kAbsent;
};

// One number of a generic event; exports since 2024 keep them in a table of their own.
struct GenericValue {
    int64_t event = 0; // GENERIC_EVENTS.genericEventId
    int64_t field = 0; // GENERIC_EVENT_TYPE_FIELDS.fieldIdx of the event's type
    double value = 0;

    friend auto operator<=>(const GenericValue&, const GenericValue&) = default;
};

// Samples of one counter met by one worker. Runs that agree in everything but the samples are one counter.
struct CounterRun {
    uint64_t globalPid = 0; // 0: of the whole GPU
    int64_t device = 0;  // CUDA ordinal in that process, else the machine's GPU number; negative: of no GPU
    uint64_t typeId = 0; // of GPU metrics and generic events
    int64_t metric = -1; // GPU_METRICS.metricId; -1 where a counter goes by name
    std::string name;    // with its unit in brackets, e.g. "SMs Active [Throughput %]"
    std::vector<std::pair<int64_t, double>> samples;
};

// Memory that the driver handed out or took back.
struct DriverMemoryEvent {
    uint64_t globalPid = 0;
    int64_t device = 0;
    int64_t kind = 0; // MemoryKind
    int64_t time_ns = 0;
    int64_t address = 0;
    int64_t size_bytes = 0;
    int64_t row = 0;
    uint32_t correlation = 0; // of the call; kNoCorrelation: none
    bool isRelease = false;
};

struct ScanFindings {
    std::array<uint64_t, static_cast<size_t>(CountedRows::count)> counts = {};
    std::vector<std::pair<StringId, StringId>> shortNames; // full kernel name -> base name
    std::vector<OpenRow> open;
    std::vector<DomainName> domains;
    std::vector<ThreadName> threads;
    std::vector<RoleCall> calls;
    std::vector<std::pair<ProcessNumber, SourceRow>> records; // eventSyncId -> the slice that recorded it
    std::vector<std::pair<ProcessNumber, SourceRow>> waits;   // eventSyncId -> the slice that waits for it
    std::vector<CounterRun> counters;
    std::vector<Fact> facts;
    std::vector<std::pair<uint64_t, int64_t>> ranks; // globalTid, MPI rank
    std::vector<StatedCollective> collectives;       // names as in the scan's batch
    std::vector<Communicator> communicators;
    std::vector<GenericValue> genericValues;
    std::vector<std::pair<int64_t, StringId>>
        sampleSymbols; // COMPOSITE_EVENTS.id -> function on top of the stack
    std::vector<DriverMemoryEvent> memory;
    uint64_t payloads = 0; // NVTX payloads decoded
    int64_t latestEnd_ns = kAllTime.begin.ns;
};

struct ExportReading {
    std::filesystem::path file;
    SchemaProbe schema;
    SchemaVersion version;
    StringIds strings;
    PayloadSchemas payloads;
    ReportBuilder& builder;
    const Progress& progress;

    // Known after the first wave.
    std::unordered_map<ProcessNumber, RoleCall, ProcessNumberHash> calls; // by correlation id
    // By CUDA context id. Synchronization rows can name device 0 for the contexts of all devices; kernels and
    // copies know better.
    std::unordered_map<ProcessNumber, int64_t, ProcessNumberHash> deviceOfContext;
    std::vector<GenericValue> genericValues;                 // sorted
    std::vector<std::pair<int64_t, StringId>> sampleSymbols; // sorted by id
    FileAccesses files;
    GenericEventTypes genericTypes;
    NetworkNames network;
    // Rows handed out so far and rows expected, for Progress.
    mutable std::atomic<uint64_t> rowsDone = 0;
    uint64_t rowsTotal = 0;
};

} // namespace lockstep
