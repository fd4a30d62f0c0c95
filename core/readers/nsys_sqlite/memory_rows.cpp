// SPDX-License-Identifier: Apache-2.0
// Reads unified-memory page faults and memory pools of a process.
#include <array>
#include <string>

#include "core/readers/nsys_sqlite/table_readers.h"

namespace lockstep {

namespace {

// TrackKey::lane for data that shares the "memory events" track kind of a process; for GPU faults, the device
// number is added.
constexpr int64_t kCpuFaults = 1, kPools = 2, kGpuFaults = 16;

SliceRow memoryRow(const TableScan& scan, StringId name)
{
    SliceRow row;
    row.source = scan.source();
    row.name = name;
    row.kind = RowKind::memoryEvent;
    return row;
}

} // namespace

void readCpuPageFaults(TableScan& scan)
{
    enum : int { kStart, kGlobalPid, kInstruction, kAddress };
    const StringId unnamed = scan.reading().builder.intern("CPU page fault");
    while (scan.next()) {
        scan.count(CountedRows::pageFault);
        const StringId symbol = scan.name(kInstruction);
        const TrackId track = scan.tracks().cpu(TrackKind::memoryEvents, scan.globalId(kGlobalPid),
                                                kCpuFaults, "CPU page faults");
        SliceRow row = memoryRow(scan, symbol == StringId(0u) ? unnamed : symbol);
        FactList facts;
        facts.set(RowFact::address, scan.optionalInteger(kAddress));
        scan.setFacts(row, facts);
        scan.addInstant(track, row, scan.optionalInteger(kStart));
    }
}

void readGpuPageFaults(TableScan& scan)
{
    enum : int { kStart, kEnd, kGlobalPid, kDevice, kAccess, kAddress, kFaults };
    // ENUM_CUDA_UNIF_MEM_ACCESS_TYPE
    static constexpr std::array<std::string_view, 5> kAccesses{
        "GPU page fault", "GPU page fault, read", "GPU page fault, write", "GPU page fault, atomic",
        "GPU page fault, prefetch"};
    std::array<StringId, kAccesses.size()> names;
    for (size_t i = 0; i < names.size(); ++i)
        names[i] = scan.reading().builder.intern(kAccesses[i]);
    while (scan.next()) {
        scan.count(CountedRows::pageFault);
        const int64_t access = scan.integer(kAccess), device = scan.integer(kDevice) & 0xFFFF;
        const bool isKnown = access > 0 && access < int64_t(names.size());
        const TrackId track =
            scan.tracks().cpu(TrackKind::memoryEvents, scan.globalId(kGlobalPid), kGpuFaults + device,
                              "GPU " + std::to_string(device) + " page faults");
        SliceRow row = memoryRow(scan, names[isKnown ? static_cast<size_t>(access) : 0]);
        FactList facts;
        facts.set(RowFact::address, scan.optionalInteger(kAddress));
        facts.set(RowFact::faults, scan.optionalInteger(kFaults));
        scan.setFacts(row, facts);
        scan.addSlice(track, row, scan.optionalInteger(kStart), scan.optionalInteger(kEnd));
    }
}

void readMemoryPools(TableScan& scan)
{
    enum : int { kStart, kGlobalPid, kDevice, kOperation };
    // ENUM_CUDA_MEMPOOL_OPER
    static constexpr std::array<std::string_view, 4> kOperations{
        "memory pool", "memory pool created", "memory pool destroyed", "memory pool trimmed"};
    while (scan.next()) {
        scan.count(CountedRows::memoryPool);
        const int64_t operation = scan.integer(kOperation);
        const bool isKnown = operation > 0 && operation < int64_t(kOperations.size());
        const StringId name = scan.reading().builder.intern(
            std::string(kOperations[isKnown ? static_cast<size_t>(operation) : 0]) + ", GPU " +
            std::to_string(scan.integer(kDevice)));
        const TrackId track =
            scan.tracks().cpu(TrackKind::memoryEvents, scan.globalId(kGlobalPid), kPools, "memory pools");
        scan.addInstant(track, memoryRow(scan, name), scan.optionalInteger(kStart));
    }
}

} // namespace lockstep
