// SPDX-License-Identifier: Apache-2.0
// Reads calls of CPU threads: the CUDA API, and the plain call tables (OS runtime, libraries, overhead, graph
// events).
#include <array>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/readers/nsys_sqlite/global_id.h"
#include "core/readers/nsys_sqlite/table_readers.h"

namespace lockstep {

namespace {

// Compares only the beginning of the name, because the name may end with a version ("_v3020", "_ptsz").
CallRole roleOf(std::string_view name)
{
    struct Prefix {
        std::string_view text;
        CallRole role;
    };
    static constexpr std::array<Prefix, 21> kPrefixes{{{"cudaStreamSynchronize", CallRole::streamWait},
                                                       {"cuStreamSynchronize", CallRole::streamWait},
                                                       {"cudaStreamWaitEvent", CallRole::streamWaitEvent},
                                                       {"cuStreamWaitEvent", CallRole::streamWaitEvent},
                                                       {"cudaEventSynchronize", CallRole::eventWait},
                                                       {"cuEventSynchronize", CallRole::eventWait},
                                                       {"cudaEventQuery", CallRole::eventWait},
                                                       {"cudaDeviceSynchronize", CallRole::contextWait},
                                                       {"cuCtxSynchronize", CallRole::contextWait},
                                                       {"cudaEventRecord", CallRole::eventRecord},
                                                       {"cuEventRecord", CallRole::eventRecord},
                                                       {"cudaMalloc", CallRole::memory},
                                                       {"cudaFree", CallRole::memory},
                                                       {"cudaHostAlloc", CallRole::memory},
                                                       {"cudaMemPool", CallRole::memory},
                                                       {"cuMemAlloc", CallRole::memory},
                                                       {"cuMemFree", CallRole::memory},
                                                       {"cuMemHostAlloc", CallRole::memory},
                                                       {"cuMemCreate", CallRole::memory},
                                                       {"cuMemRelease", CallRole::memory},
                                                       {"cuMemPool", CallRole::memory}}};
    for (const Prefix& prefix : kPrefixes) {
        if (name.starts_with(prefix.text)) return prefix.role;
    }
    return CallRole::none;
}

// Caches the role of each API name per worker.
class CallRoles {
  public:
    explicit CallRoles(ReportBuilder& builder) : m_builder(builder) {}

    CallRole of(StringId name)
    {
        if (name.value >= m_roles.size()) m_roles.resize(name.value + size_t(1));
        std::optional<CallRole>& role = m_roles[name.value];
        if (!role) role = roleOf(m_builder.text(name));
        return *role;
    }

  private:
    ReportBuilder& m_builder;
    std::vector<std::optional<CallRole>> m_roles; // by StringId
};

// Finds the priority of a thread. Consecutive calls usually belong to the same thread.
class ThreadPriorities {
  public:
    explicit ThreadPriorities(const std::unordered_map<uint64_t, int64_t>& known) : m_known(known) {}

    std::optional<int64_t> of(uint64_t globalTid)
    {
        if (m_isKnown && m_thread == globalTid) return m_priority;
        const auto found = m_known.find(globalTid);
        m_priority = found != m_known.end() ? std::optional(found->second) : std::nullopt;
        m_thread = globalTid;
        m_isKnown = true;
        return m_priority;
    }

  private:
    const std::unordered_map<uint64_t, int64_t>& m_known;
    uint64_t m_thread = 0; // the most recent thread; valid if m_isKnown
    bool m_isKnown = false;
    std::optional<int64_t> m_priority;
};

struct ApiClass {
    CountedRows counted;
    RowKind kind;
};

// ENUM_NSYS_EVENT_CLASS: 0 = CUDA runtime, 1 = CUDA driver. Other classes (67 = a duplicate of a call, with
// its backtrace) are not joined with GPU work.
ApiClass classOf(int64_t eventClass)
{
    if (eventClass == 0) return {CountedRows::runtimeApi, RowKind::runtimeApi};
    if (eventClass == 1) return {CountedRows::driverApi, RowKind::driverApi};
    return {CountedRows::otherApi, RowKind::span};
}

void addCall(TableScan& scan, TrackId track, const SliceRow& row, int startColumn, int endColumn)
{
    const std::optional<int64_t> start = scan.optionalInteger(startColumn);
    const std::optional<int64_t> end = scan.optionalInteger(endColumn);
    if (start && !end && scan.isNull(endColumn)) {
        scan.addOpen(track, row, *start);
    } else if (start && start == end && row.kind == RowKind::graphEvent) {
        scan.addInstant(track, row, start);
    } else {
        scan.addSlice(track, row, start, end);
    }
}

// Positions of the columns that all call tables have.
enum : int { kCallStart, kCallEnd, kCallThread, kCallName, kCallText, kCallColumnCount };

SliceRow callRow(TableScan& scan)
{
    SliceRow row;
    row.source = scan.source();
    row.name = scan.name(scan.optionalInteger(kCallName) ? kCallName : kCallText);
    row.kind = scan.reader().kind;
    row.category = scan.reader().category;
    return row;
}

TrackId callTrack(TableScan& scan)
{
    const TableReader& reader = scan.reader();
    return scan.tracks().cpu(reader.track, scan.globalId(kCallThread), reader.lane, reader.trackName);
}

} // namespace

void readCudaApi(TableScan& scan)
{
    enum : int { kStart, kEnd, kThread, kName, kCorrelation, kClass, kResult };
    CallRoles roles(scan.reading().builder);
    ThreadPriorities priorities(scan.reading().priorities);
    const bool needsMemoryCalls = scan.reading().schema.has("CUDA_GPU_MEMORY_USAGE_EVENTS");
    while (scan.next()) {
        const ApiClass apiClass = classOf(scan.integer(kClass));
        scan.count(apiClass.counted);
        SliceRow row;
        row.source = scan.source();
        row.name = scan.name(kName);
        row.correlation = scan.correlation(kCorrelation);
        row.kind = apiClass.kind;
        row.category = SliceCategory::cudaApi;
        FactList facts;
        facts.set(RowFact::result, scan.optionalInteger(kResult));
        facts.set(RowFact::priority, priorities.of(scan.globalId(kThread)));
        scan.setFacts(row, facts, kCorrelation);
        addCall(scan, scan.tracks().cpu(TrackKind::cudaApi, scan.globalId(kThread)), row, kStart, kEnd);
        const CallRole role = isCudaApi(row.kind) ? roles.of(row.name) : CallRole::none;
        const bool isWanted = role != CallRole::none && (role != CallRole::memory || needsMemoryCalls);
        if (isWanted && row.correlation != kNoCorrelation) {
            const ProcessNumber correlation{processKeyOf(scan.globalId(kThread)), row.correlation};
            scan.result().findings.calls.push_back({correlation, role, row.source});
        }
    }
}

void readCalls(TableScan& scan)
{
    while (scan.next()) {
        scan.count(scan.reader().counted);
        addCall(scan, callTrack(scan), callRow(scan), kCallStart, kCallEnd);
    }
}

void readOsRuntime(TableScan& scan)
{
    constexpr int kClass = kCallColumnCount;
    // ENUM_NSYS_EVENT_CLASS: 27 is a call; 31 and 32 mark the times at which nsys started and stopped tracing
    // a library.
    constexpr int64_t kCallClass = 27;
    while (scan.next()) {
        scan.count(scan.reader().counted);
        SliceRow row = callRow(scan);
        if (scan.optionalInteger(kClass).value_or(kCallClass) == kCallClass) {
            addCall(scan, callTrack(scan), row, kCallStart, kCallEnd);
        } else {
            row.kind = RowKind::instant;
            scan.addInstant(callTrack(scan), row, scan.optionalInteger(kCallStart));
        }
    }
}

void readMpiRanks(TableScan& scan)
{
    enum : int { kThread, kRank };
    while (scan.next()) {
        if (const auto rank = scan.optionalInteger(kRank)) {
            scan.result().findings.ranks.push_back({scan.globalId(kThread), *rank});
        }
    }
}

} // namespace lockstep
