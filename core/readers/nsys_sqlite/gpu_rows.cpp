// SPDX-License-Identifier: Apache-2.0
// Reads kernels, copies, memsets and whole-graph launches: the work that keeps a GPU busy.
#include <array>
#include <unordered_map>
#include <vector>

#include "core/readers/nsys_sqlite/nccl_call.h"
#include "core/readers/nsys_sqlite/table_readers.h"

namespace lockstep {

namespace {

// Positions of the columns that all GPU tables share.
enum GpuColumn : int {
    kStart,
    kEnd,
    kDevice,
    kContext,
    kGreenContext,
    kStream,
    kCorrelation,
    kGlobalPid,
    kFirstOwn
};

TrackId trackOf(TableScan& scan, TrackKind kind)
{
    const int64_t green = scan.integer(kGreenContext);
    return scan.tracks().gpu(kind, scan.globalId(kGlobalPid), scan.integer(kDevice),
                             green != 0 ? green : scan.integer(kContext), scan.integer(kStream));
}

// `facts` has the details that only the row's own table has; the others are added.
SliceRow gpuRow(TableScan& scan, RowKind kind, SliceCategory category, StringId name, FactList& facts)
{
    SliceRow row;
    row.source = scan.source();
    row.name = name;
    row.correlation = scan.correlation(kCorrelation);
    row.kind = kind;
    row.category = category;
    facts.set(RowFact::context, scan.optionalInteger(kContext));
    scan.setFacts(row, facts, kCorrelation);
    return row;
}

// CUPTI writes 0 for both timestamps if it could not measure them.
bool addWork(TableScan& scan, TrackId track, const SliceRow& row)
{
    const std::optional<int64_t> start = scan.optionalInteger(kStart);
    const std::optional<int64_t> end = scan.optionalInteger(kEnd);
    const bool isUnmeasured = start == 0 && end == 0;
    return scan.addSlice(track, row, isUnmeasured ? std::nullopt : start, end);
}

// Caches information derived from kernel names, per worker.
class KernelNames {
  public:
    explicit KernelNames(TableScan& scan) : m_scan(scan) {}

    SliceCategory category(StringId full, StringId base)
    {
        if (full.value >= m_known.size()) m_known.resize(full.value + size_t(1), SliceCategory::count);
        SliceCategory& known = m_known[full.value];
        if (known == SliceCategory::count) {
            ReportBuilder& builder = m_scan.reading().builder;
            known = kernelCategory(builder.text(full));
            const std::string_view base_ = builder.text(base);
            if (base != full && !base_.empty()) m_scan.result().findings.shortNames.push_back({full, base});
            if (known == SliceCategory::communication)
                readCollective(full, base_.empty() ? builder.text(full) : base_);
        }
        return known;
    }
    // Returns the communication described by the name of an NCCL kernel, or nullptr.
    const CollectiveOp* collective(StringId full) const
    {
        const auto found = m_collectives.find(full.value);
        return found != m_collectives.end() ? &found->second : nullptr;
    }

  private:
    void readCollective(StringId full, std::string_view name)
    {
        const auto parts = ncclKernelName(name);
        if (!parts) return;
        CollectiveOp op;
        op.collective = m_scan.reading().builder.intern(parts->operation);
        if (!parts->dataType.empty()) op.dataType = m_scan.reading().builder.intern(parts->dataType);
        m_collectives[full.value] = op;
    }

    TableScan& m_scan;
    std::vector<SliceCategory> m_known;                       // by StringId; `count` means not computed yet
    std::unordered_map<uint32_t, CollectiveOp> m_collectives; // by StringId
};

constexpr std::array<std::string_view, 14> kCopyNames{
    "Memcpy Unknown", "Memcpy HtoD",         "Memcpy DtoH",         "Memcpy HtoA",        "Memcpy AtoH",
    "Memcpy AtoA",    "Memcpy AtoD",         "Memcpy DtoA",         "Memcpy DtoD",        "Memcpy HtoH",
    "Memcpy PtoP",    "Memcpy Unified HtoD", "Memcpy Unified DtoH", "Memcpy Unified DtoD"};

MemoryKind memoryKind(std::optional<int64_t> number)
{
    const bool isKnown = number && *number >= 0 && *number <= static_cast<int64_t>(MemoryKind::unknown);
    return isKnown ? static_cast<MemoryKind>(*number) : MemoryKind::unknown;
}

} // namespace

// The position of gridX: the facts from gridX to dynamicShared are columns in the order of RowFact.
constexpr int kFirstLaunchColumn = kFirstOwn + 4;

void readKernels(TableScan& scan)
{
    enum : int { kFullName = kFirstOwn, kBaseName, kMangledName, kGraphNode };
    KernelNames names(scan);
    while (scan.next()) {
        scan.count(CountedRows::kernel);
        // If one of the two names is missing, the other name is used instead.
        const StringId base = scan.storedName(kBaseName);
        const bool isBaseAlone = base.isValid() && !scan.storedName(kFullName).isValid();
        const StringId full = isBaseAlone ? base : scan.name(kFullName);
        FactList facts;
        for (size_t fact = size_t(RowFact::gridX); fact <= size_t(RowFact::dynamicShared); ++fact) {
            const auto offset = static_cast<int>(fact - size_t(RowFact::gridX));
            facts.set(static_cast<RowFact>(fact), scan.optionalInteger(kFirstLaunchColumn + offset));
        }
        facts.set(RowFact::graphNode, scan.optionalInteger(kGraphNode));
        if (const StringId mangled = scan.storedName(kMangledName); mangled.value > 0 && mangled.isValid())
            facts.set(RowFact::mangledName, int64_t(mangled.value));
        const SliceRow row =
            gpuRow(scan, RowKind::kernel, names.category(full, base.isValid() ? base : full), full, facts);
        const bool isAdded = addWork(scan, trackOf(scan, TrackKind::gpuStream), row);
        if (!isAdded || row.category != SliceCategory::communication) continue;
        if (const CollectiveOp* const op = names.collective(full))
            scan.result().batch.addCollective(row.source, *op);
    }
}

void readCopies(TableScan& scan)
{
    enum : int { kBytes = kFirstOwn, kKind, kSource, kDestination, kGraphNode, kAddress };
    std::array<StringId, kCopyNames.size()> names;
    for (size_t i = 0; i < names.size(); ++i)
        names[i] = scan.reading().builder.intern(kCopyNames[i]);
    while (scan.next()) {
        scan.count(CountedRows::memcpy);
        const int64_t number = scan.integer(kKind);
        MemoryOp op;
        op.kind = number > 0 && number < int64_t(kCopyNames.size()) ? static_cast<CopyKind>(number)
                                                                    : CopyKind::unknown;
        op.source = memoryKind(scan.optionalInteger(kSource));
        op.destination = memoryKind(scan.optionalInteger(kDestination));
        op.size_bytes = scan.globalId(kBytes);
        FactList facts;
        facts.set(RowFact::sourceKind, scan.optionalInteger(kSource));
        facts.set(RowFact::destinationKind, scan.optionalInteger(kDestination));
        facts.set(RowFact::graphNode, scan.optionalInteger(kGraphNode));
        facts.set(RowFact::address, scan.optionalInteger(kAddress));
        const SliceRow row =
            gpuRow(scan, RowKind::memcpy, copyCategory(op.kind), names[static_cast<size_t>(op.kind)], facts);
        addWork(scan, trackOf(scan, TrackKind::gpuStream), row);
        scan.result().batch.addMemoryOp(row.source, op);
    }
}

void readMemsets(TableScan& scan)
{
    enum : int { kBytes = kFirstOwn, kMemoryKind, kGraphNode };
    const StringId name = scan.reading().builder.intern("Memset");
    while (scan.next()) {
        scan.count(CountedRows::memset);
        MemoryOp op;
        op.kind = CopyKind::memset;
        op.destination = memoryKind(scan.optionalInteger(kMemoryKind));
        op.size_bytes = scan.globalId(kBytes);
        FactList facts;
        facts.set(RowFact::sourceKind, scan.optionalInteger(kMemoryKind));
        facts.set(RowFact::graphNode, scan.optionalInteger(kGraphNode));
        const SliceRow row = gpuRow(scan, RowKind::memset, SliceCategory::memset, name, facts);
        addWork(scan, trackOf(scan, TrackKind::gpuStream), row);
        scan.result().batch.addMemoryOp(row.source, op);
    }
}

void readGraphLaunches(TableScan& scan)
{
    enum : int { kGraph = kFirstOwn };
    while (scan.next()) {
        scan.count(CountedRows::graphLaunch);
        const StringId name =
            scan.reading().builder.intern("CUDA graph " + std::to_string(scan.integer(kGraph)));
        FactList facts;
        addWork(scan, trackOf(scan, TrackKind::gpuGraph),
                gpuRow(scan, RowKind::graphLaunch, SliceCategory::graph, name, facts));
    }
}

} // namespace lockstep
