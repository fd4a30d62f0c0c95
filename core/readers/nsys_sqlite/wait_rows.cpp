// SPDX-License-Identifier: Apache-2.0
// Reads CUDA event records and synchronizations. Both are read in the second pass, because they need the API
// calls that issued them. The calls determine what a synchronization waits for (see CallRole), and where an
// event was recorded.
#include <array>

#include "core/readers/nsys_sqlite/global_id.h"
#include "core/readers/nsys_sqlite/table_readers.h"

namespace lockstep {

namespace {

constexpr int64_t kNoNumber = 0xFFFFFFFF; // value for "none" in streamId, eventId and eventSyncId
constexpr std::array<std::string_view, 5> kWaitNames{
    "Synchronization", "Event synchronize", "Stream wait event", "Stream synchronize", "Context synchronize"};

const RoleCall* callOf(const TableScan& scan, uint64_t globalPid, uint32_t correlation)
{
    const auto& calls = scan.reading().calls;
    const auto found = calls.find({processKeyOf(globalPid), correlation});
    return found != calls.end() ? &found->second : nullptr;
}

// Returns an index into kWaitNames. If there is no call, uses ENUM_CUPTI_SYNC_TYPE: 1 = event, 2 = stream
// wait event, 3 = stream, 4 = context. In exports with schema 3.20 to 3.25, 2 and 3 are swapped.
size_t waitType(const RoleCall* call, int64_t syncType, SchemaVersion version)
{
    if (call != nullptr) {
        if (call->role == CallRole::eventWait) return 1;
        if (call->role == CallRole::streamWaitEvent) return 2;
        if (call->role == CallRole::streamWait) return 3;
        if (call->role == CallRole::contextWait) return 4;
    }
    const bool isSwapped = version >= SchemaVersion{3, 20} && version < SchemaVersion{3, 25};
    if (isSwapped && (syncType == 2 || syncType == 3)) return syncType == 2 ? 3 : 2;
    return syncType > 0 && syncType < int64_t(kWaitNames.size()) ? static_cast<size_t>(syncType) : 0;
}

std::optional<uint64_t> numberOf(std::optional<int64_t> value)
{
    if (!value || *value <= 0 || *value == kNoNumber) return std::nullopt;
    return static_cast<uint64_t>(*value);
}

// Positions of the columns that both tables share.
struct Place {
    int device, context, green, stream, globalPid;
};

TrackId trackOf(TableScan& scan, const Place& at)
{
    const uint64_t globalPid = scan.globalId(at.globalPid);
    const int64_t context = scan.integer(scan.integer(at.green) != 0 ? at.green : at.context);
    const auto& devices = scan.reading().deviceOfContext;
    const auto known = devices.find({processKeyOf(globalPid), static_cast<uint64_t>(context)});
    const int64_t device = known != devices.end() ? known->second : scan.integer(at.device);
    const int64_t stream = scan.integer(at.stream);
    return scan.tracks().gpu(TrackKind::gpuSync, globalPid, device, context,
                             stream == kNoNumber ? -1 : stream);
}

void setWaitFacts(TableScan& scan, SliceRow& row, int contextColumn, int correlationColumn)
{
    FactList facts;
    facts.set(RowFact::context, scan.optionalInteger(contextColumn));
    scan.setFacts(row, facts, correlationColumn);
}

} // namespace

void readCudaEvents(TableScan& scan)
{
    enum : int { kTime, kDevice, kContext, kGreen, kStream, kCorrelation, kGlobalPid, kEvent, kSync };
    const StringId name = scan.reading().builder.intern("Event record");
    while (scan.next()) {
        scan.count(CountedRows::cudaEvent);
        const uint64_t globalPid = scan.globalId(kGlobalPid);
        const uint32_t correlation = scan.correlation(kCorrelation);
        const RoleCall* const call = callOf(scan, globalPid, correlation);
        std::optional<SourceRow> recorded;
        if (call != nullptr) recorded = call->source;
        // 0 and NULL mean that the exporter did not collect the time.
        if (const auto time = scan.optionalInteger(kTime); time && *time != 0) {
            SliceRow row;
            row.source = scan.source();
            row.name = name;
            row.correlation = correlation;
            row.kind = RowKind::cudaEvent;
            row.category = SliceCategory::synchronization;
            const TrackId track = trackOf(scan, {kDevice, kContext, kGreen, kStream, kGlobalPid});
            setWaitFacts(scan, row, kContext, kCorrelation);
            if (scan.addInstant(track, row, time)) recorded = row.source;
        } else {
            scan.note(
                "cuda_event.no_time", NoteSeverity::info,
                "CUDA event records without a GPU timestamp: counted and linked by API call, not drawn");
        }
        const auto sync = numberOf(scan.optionalInteger(kSync));
        if (sync && recorded)
            scan.result().findings.records.push_back({{processKeyOf(globalPid), *sync}, *recorded});
    }
}

void readSynchronizations(TableScan& scan)
{
    enum : int { kStart, kEnd, kDevice, kContext, kGreen, kStream, kCorrelation, kGlobalPid, kType, kSync };
    std::array<StringId, kWaitNames.size()> names;
    for (size_t i = 0; i < names.size(); ++i)
        names[i] = scan.reading().builder.intern(kWaitNames[i]);
    while (scan.next()) {
        scan.count(CountedRows::synchronization);
        const uint64_t globalPid = scan.globalId(kGlobalPid);
        SliceRow row;
        row.source = scan.source();
        row.correlation = scan.correlation(kCorrelation);
        row.kind = RowKind::synchronization;
        row.category = SliceCategory::synchronization;
        const RoleCall* const call = callOf(scan, globalPid, row.correlation);
        row.name = names[waitType(call, scan.integer(kType), scan.reading().version)];
        const TrackId track = trackOf(scan, {kDevice, kContext, kGreen, kStream, kGlobalPid});
        setWaitFacts(scan, row, kContext, kCorrelation);
        scan.addSlice(track, row, scan.optionalInteger(kStart), scan.optionalInteger(kEnd));
        if (const auto sync = numberOf(scan.optionalInteger(kSync))) {
            scan.result().findings.waits.push_back({{processKeyOf(globalPid), *sync}, row.source});
        }
    }
}

} // namespace lockstep
