// SPDX-License-Identifier: Apache-2.0
// EventRows: the data collected by one worker from its windows: rows by lane, rows of which only one half was
// read, flow points, counter samples, names. Independent of other workers; ReportAssembly combines them after
// all windows are parsed. One thread.
#pragma once

#include <array>
#include <atomic>
#include <compare>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/column_place.h"
#include "core/base/string_pool.h"
#include "core/readers/chrome_json/event_bytes.h"
#include "core/readers/chrome_json/event_category.h"
#include "core/readers/chrome_json/memory_instants.h"
#include "core/readers/chrome_json/raw_event.h"
#include "core/trace/import_notes.h"
#include "core/trace/slice_batch.h"

namespace lockstep {

// A pid or tid. A string is stored as its ID in the worker's pool.
struct Actor {
    int64_t number = 0;
    bool isText = false;

    friend auto operator<=>(Actor, Actor) = default;
};

// Location, according to the file, of rows of one worker. Rows with equal keys share a lane, and a lane
// becomes a track or part of a track. Kind `count` is not a track: it represents the thread itself (for flow
// points and B/E stacks).
struct LaneKey {
    TrackKind kind = TrackKind::other;
    Actor process;       // pid as written, also on the GPU
    Actor thread;        // tid as written, also on the GPU
    int64_t device = -1; // GPU lanes only: ordinal
    // GPU lanes: stream ID, -1 = none; async lanes: 1 + string ID of the category in the worker's pool
    int64_t stream = 0;
    int64_t context = 0; // GPU lanes: CUDA context, 0 = unknown

    friend bool operator==(const LaneKey&, const LaneKey&) = default;
};

struct LaneKeyHash {
    size_t operator()(const LaneKey& key) const noexcept;
};

// One end of a B/E or b/e pair, or an n between them.
struct HalfRow {
    int64_t time_ns = 0;
    SourceRow source;
    uint64_t key = 0; // async: hash of (category, id, scope, process); 0 for B/E
    StringId name{0u};
    uint32_t lane = 0;   // lane of the resulting row
    uint32_t thread = 0; // lane of kind `count`
    RowKind kind = RowKind::span;
    SliceCategory category = SliceCategory::other;
    char phase = 0;
};

enum class FlowUse : uint8_t {
    generic,
    forwardBackward,
    launch /* ac2g: redundant where correlation ids are */
};

struct FlowRow {
    uint64_t key = 0; // hash of (category, name, id), or of bind_id
    int64_t time_ns = 0;
    uint32_t lane = 0; // lane of kind `count`, or lane of the slice that has the bind_id
    FlowUse use = FlowUse::generic;
    FlowRole role = FlowRole::end;
    bool bindsNext = false;
};

// Key of one counter: a series of a Chrome counter, or Total Allocated / Reserved of a device.
struct CounterKey {
    Actor process; // unused if the file specifies only a GPU
    StringId name;
    int64_t device = -1; // GPU ordinal; -1 = none
    bool isBytes = false;

    friend auto operator<=>(const CounterKey&, const CounterKey&) = default;
};

struct CounterSeries {
    CounterKey key;
    std::vector<std::pair<int64_t, double>> samples;
};

// Data of a communication kernel or a record_param_comms row; StringIds refer to the worker's pool.
struct CollectiveRow {
    SourceRow source;
    uint64_t externalId = 0; // 0 if absent, or if equal to the correlation ID of a GPU kernel
    CollectiveOp op;
    bool isRecord = false;
};

// An event of NCCL's profiler plugin that describes a collective or its GPU kernel (nccl_plugin.h).
struct NcclPluginRow {
    enum class What : uint8_t { begin, end, channel };
    What what = What::begin;
    bool isPointToPoint = false;
    Actor process;
    uint64_t offset = 0;
    int64_t time_ns = 0;
    StringId function, dataType; // string IDs in the worker's pool
    uint64_t communicator = 0;
    uint64_t sequence = CollectiveOp::kAbsentCount; // counted per communicator and function
    uint64_t count = CollectiveOp::kAbsentCount;    // number of elements
    uint32_t rank = CollectiveOp::kAbsent;          // rank in the communicator
    uint64_t start_ns = 0, stop_ns = 0;             // start and stop of a channel on the GPU's global timer
};

// A metadata event ("M").
struct MetadataRow {
    enum class What : uint8_t { processName, processLabels, threadName };
    What what = What::processName;
    Actor process;
    Actor thread;
    StringId text;
    uint64_t offset = 0; // offset in the text; if there are several rows, the last one in the file is used
};

// Entries of rowCounts for events that are not slices themselves.
enum class PlainCount : uint8_t {
    begin,
    end,
    asyncBegin,
    asyncEnd,
    asyncInstant,
    flowStart,
    flowStep,
    flowEnd,
    counter,
    metadata,
    sample,
    unknownPhase,
    count
};

// Maps correlation IDs that need more than 31 bits to unused IDs. Shared by the workers.
class WideCorrelations {
  public:
    uint32_t numberOf(uint64_t correlation);

  private:
    std::mutex m_mutex;
    std::unordered_map<uint64_t, uint32_t> m_numbers;
};

// State shared by the workers of one file while they parse.
struct SharedFacts {
    explicit SharedFacts(FactSets& sets) : factSets(sets) {}

    FactSets& factSets; // of the report
    WideCorrelations wide;
    std::atomic<bool> gpuRowsCorrelate = false; // if true, the ac2g flows add no information
};

class EventRows {
  public:
    // `place` is where the report is stored.
    explicit EventRows(SharedFacts& shared, const ColumnPlace& place = {})
        : batch(place.temporary()), m_shared(&shared), m_factNumbers(shared.factSets),
          m_file(place.temporary())
    {
    }

    void add(const RawEvent& event);
    ImportNotes& notes() { return m_notes; }

    // The following members are used by the assembly.
    bool isKernel(StringId name) const // decides by name; never true for Ascend rows
    {
        return name.value < m_kernelCategories.size() && m_kernelCategories[name.value] != 0;
    }
    std::vector<LaneKey> lanes; // indexed by the TrackId::value of the rows in `batch`
    SliceBatch batch;
    std::vector<HalfRow> halves;
    RowChunks<FlowRow> flows;
    std::vector<CounterSeries> counters;
    std::vector<MetadataRow> metadata;
    std::vector<CollectiveRow> collectives;
    std::vector<MemoryInstant> memory;
    std::vector<NcclPluginRow> ncclPlugin;
    StringPool names;
    std::array<uint64_t, static_cast<size_t>(RowKind::count)> kindCounts = {};
    std::array<uint64_t, static_cast<size_t>(PlainCount::count)> plainCounts = {};
    EventBytes textBytes; // filled in by the parser
    bool hasKineto = false;

  private:
    void addComplete(const RawEvent& event);
    void addInstant(const RawEvent& event);
    void addHalf(const RawEvent& event);
    void addAsync(const RawEvent& event, char phase);
    bool addNcclPlugin(const RawEvent& event, char phase);
    void addFlow(const RawEvent& event);
    void addBoundFlow(const RawEvent& event, uint32_t lane);
    void addCounter(const RawEvent& event);
    void addMetadata(const RawEvent& event);
    void addMemorySamples(const RawEvent& event, uint32_t lane);
    void addMemoryOp(const RawEvent& event, SliceRow& row);
    void setFacts(const RawEvent& event, SliceRow& row);
    void addCollective(const RawEvent& event, const SliceRow& row);
    bool hasStart(const RawEvent& event);
    void count(PlainCount what) { ++plainCounts[static_cast<size_t>(what)]; }
    void note(std::string_view kind, NoteSeverity severity, std::string_view text, const RawEvent& event);

    EventClass classOf(std::string_view category);
    Actor actor(const ActorText& text);
    uint32_t lane(const LaneKey& key);
    uint32_t laneOf(const RawEvent& event, const EventClass& what);
    uint32_t ascendLane(const RawEvent& event, const EventClass& what);
    uint32_t threadLane(const RawEvent& event);
    uint32_t correlationOf(const RawEvent& event);
    SliceCategory kernelCategoryOf(StringId name);
    std::vector<std::pair<int64_t, double>>& samplesOf(const CounterKey& key);

    struct CachedClass {
        std::string category;
        EventClass what;
    };

    SharedFacts* m_shared;
    FactNumbers m_factNumbers;
    std::shared_ptr<SpillFile> m_file; // stores rows outside the batch
    ImportNotes m_notes;
    std::unordered_map<LaneKey, uint32_t, LaneKeyHash> m_laneNumbers;
    std::array<uint32_t, 64> m_recentLanes = {}; // 1 + lane number, by hash of the lane key
    std::array<CachedClass, 32> m_classes;
    std::vector<uint8_t> m_kernelCategories;  // by string ID of the name: 1 + SliceCategory
    std::map<uint32_t, MemoryOp> m_memoryOps; // by string ID of the name
    std::map<CounterKey, uint32_t> m_counterNumbers;
};

} // namespace lockstep
