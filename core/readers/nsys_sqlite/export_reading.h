// SPDX-License-Identifier: Apache-2.0
// ExportReading: the state shared by the table readers of one export, and the results of the table readers
// except slices. Created by readNsysExport(); results are merged between the two passes in table and row
// order, so that a report does not depend on the speed of workers.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/progress.h"
#include "core/readers/nsys_sqlite/payload_schemas.h"
#include "core/readers/nsys_sqlite/schema_probe.h"
#include "core/readers/nsys_sqlite/string_ids.h"
#include "core/trace/import_notes.h"
#include "core/trace/report.h"
#include "core/trace/report_builder.h"

namespace lockstep {

// GenericEventTypes: the names of an export's generic event types and their fields. Loaded once per export;
// immutable afterwards, any thread. Plug-ins (NVML, network, storage) and, until about 2023, GPU metrics are
// generic events.
class GenericEventTypes {
  public:
    GenericEventTypes() = default;
    GenericEventTypes(const SqliteDatabase& database, const SchemaProbe& schema, const StringIds& strings,
                      ReportBuilder& builder);

    // Returns GENERIC_EVENT_TYPES.nameId as a string, or "Name" from the JSON in older exports; otherwise
    // "generic type N".
    std::string nameOf(uint64_t type) const;
    // Returns "Power [W]" from GENERIC_EVENT_TYPE_FIELDS.fieldNameId; otherwise "field N".
    std::string fieldOf(uint64_t type, int64_t field) const;

  private:
    std::map<uint64_t, std::string> m_types;
    std::map<std::pair<uint64_t, int64_t>, std::string> m_fields;
};

// FileAccesses: the files in OSRT_FILE_ACCESS_EVENTS, by number. Loaded after the processes of an export are
// known; immutable afterwards, any thread.
class FileAccesses {
  public:
    struct File {
        std::string path;
        uint64_t processKey = 0; // key of the process that opened the file
    };

    FileAccesses() = default;
    // Loads the files. OSRT_FILE_ACCESS_DESCRIPTORS contain only a plain pid. If the report has a process
    // with that pid, its key is used; otherwise the key is formed for nsys's default machine.
    FileAccesses(const SqliteDatabase& database, const SchemaProbe& schema, Report& report);

    // Returns the file with this number, or nullptr if the number is not a file.
    const File* find(int64_t number) const
    {
        const auto found = m_files.find(number);
        return found != m_files.end() ? &found->second : nullptr;
    }

  private:
    std::unordered_map<int64_t, File> m_files;
};

// NetworkNames: the names of an export's network devices and their metrics. Loaded once per export; immutable
// afterwards, any thread.
class NetworkNames {
  public:
    NetworkNames() = default;
    NetworkNames(const SqliteDatabase& database, const SchemaProbe& schema, ImportNotes& notes);

    // Returns the name of the device with the GUID or globalId of a metric's row, using NIC_ID_MAP and
    // TARGET_INFO_NIC_INFO; otherwise "device HEX".
    std::string deviceOf(uint64_t id) const;
    // Returns name and unit from TARGET_INFO_NETWORK_METRICS, e.g. {"Bytes received", "B"}; otherwise "metric
    // LIST/INDEX".
    std::pair<std::string, std::string> metricOf(int64_t list, int64_t index) const;

  private:
    std::map<uint64_t, std::string> m_devices;
    std::map<std::pair<int64_t, int64_t>, std::pair<std::string, std::string>> m_metrics;
};

// Kinds of rows that an inventory counts. The counts equal those of plain SQL.
enum class CountedRows : uint8_t {
    kernel,
    memcpy,
    memset,
    graphLaunch,
    synchronization,
    cudaEvent,
    runtimeApi,
    driverApi,
    otherApi, // CUPTI_ACTIVITY_KIND_RUNTIME with eventClass 0, 1, or any other
    nvtxPushPop,
    nvtxStartEnd,
    nvtxMark,
    nvtxOther, // NVTX_EVENTS with eventType 59/70, 60/71, 34/65, or any other
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
    otherCall, // calls from tables that are recognized only by their columns
    diagnostic,
    count
};

// Returns the name of the kind in Report::rowCounts, e.g. "nvtx_pushpop".
std::string_view countedRowsName(CountedRows kind);

// EXPORT_SCHEMA_VERSION; 0.0 if unknown.
struct SchemaVersion {
    int64_t major = 0;
    int64_t minor = 0;

    friend auto operator<=>(const SchemaVersion&, const SchemaVersion&) = default;
};

// A number that is unique within one process: a correlation ID or an eventSyncId.
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

// Role of an API call, derived from its name: waiting, recording, allocating or freeing memory. The numbers
// that the file uses for API calls differ between exporter versions.
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

// A range that was still open when the capture ended; its end is set after all tables are read.
struct OpenRow {
    TrackId track;
    SliceRow row;
};

// Name in the file of a thread, or of an NVTX domain of a process.
struct DomainName {
    uint64_t processKey = 0;
    int64_t domain = 0;
    StringId name;
};
struct ThreadName {
    uint64_t globalTid = 0;
    StringId name;
};

// A communication, described by its NVTX range and by the initialization of its communicator.
struct RecordedCollective {
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

// One value of a generic event. Exports since 2024 store these values in a separate table.
struct GenericValue {
    int64_t event = 0; // GENERIC_EVENTS.genericEventId
    int64_t field = 0; // GENERIC_EVENT_TYPE_FIELDS.fieldIdx for the event's type
    double value = 0;

    friend auto operator<=>(const GenericValue&, const GenericValue&) = default;
};

// Samples of one counter from one worker. Runs whose members are equal, except the samples, belong to one
// counter.
struct CounterRun {
    uint64_t globalPid = 0; // 0 for the whole GPU
    // CUDA ordinal in that process, otherwise the machine's GPU number; negative if not a GPU
    int64_t device = 0;
    uint64_t typeId = 0; // for GPU metrics and generic events
    int64_t metric = -1; // GPU_METRICS.metricId; -1 if the counter is identified by name
    std::string name;    // name with the unit in brackets, e.g. "SMs Active [Throughput %]"
    std::vector<std::pair<int64_t, double>> samples;
};

// Memory allocated or freed by the driver.
struct DriverMemoryEvent {
    uint64_t globalPid = 0;
    int64_t device = 0;
    int64_t kind = 0; // a MemoryKind
    int64_t time_ns = 0;
    int64_t address = 0;
    int64_t size_bytes = 0;
    int64_t row = 0;
    uint32_t correlation = 0; // correlation ID of the call, or kNoCorrelation
    bool isRelease = false;
};

struct ScanFindings {
    std::array<uint64_t, static_cast<size_t>(CountedRows::count)> counts = {};
    std::vector<std::pair<StringId, StringId>> shortNames; // full GPU kernel name -> base name
    std::vector<OpenRow> open;
    std::vector<DomainName> domains;
    std::vector<ThreadName> threads;
    std::vector<RoleCall> calls;
    // eventSyncId -> slice that recorded the event
    std::vector<std::pair<ProcessNumber, SourceRow>> records;
    // eventSyncId -> slice that waits for the event
    std::vector<std::pair<ProcessNumber, SourceRow>> waits;
    std::vector<CounterRun> counters;
    std::vector<Fact> facts;
    std::vector<std::pair<uint64_t, int64_t>> ranks; // (globalTid, MPI rank)
    std::vector<RecordedCollective> collectives;     // names are IDs as in the scan's batch
    std::vector<Communicator> communicators;
    std::vector<GenericValue> genericValues;
    // COMPOSITE_EVENTS.id -> function on top of the stack.
    std::vector<std::pair<int64_t, StringId>> sampleSymbols;
    std::vector<DriverMemoryEvent> memory;
    uint64_t payloads = 0; // number of decoded NVTX payloads
    int64_t latestEnd_ns = kAllTime.begin.ns;
};

struct ExportReading {
    std::filesystem::path file;
    SchemaProbe schema;
    SchemaVersion version;
    StringIds strings;
    PayloadSchemas payloads;
    std::unordered_map<uint64_t, int64_t> priorities; // of threads, by globalTid
    ReportBuilder& builder;
    const Progress& progress;

    // The following members are known after the first pass.
    std::unordered_map<ProcessNumber, RoleCall, ProcessNumberHash> calls; // by correlation ID
    // By CUDA context ID. Taken from GPU kernels and copies, because synchronization rows may contain device
    // 0 for contexts of any device.
    std::unordered_map<ProcessNumber, int64_t, ProcessNumberHash> deviceOfContext;
    std::vector<GenericValue> genericValues;                 // sorted
    std::vector<std::pair<int64_t, StringId>> sampleSymbols; // sorted by ID
    FileAccesses files;
    GenericEventTypes genericTypes;
    NetworkNames network;
    // Rows read so far and rows expected in total, for Progress.
    mutable std::atomic<uint64_t> rowsDone = 0;
    uint64_t rowsTotal = 0;
};

} // namespace lockstep
