// SPDX-License-Identifier: Apache-2.0
#include "core/readers/capture_spool/spool_gpu.h"

#include <cxxabi.h>

#include <array>
#include <cstdlib>
#include <memory>

#include "core/readers/nsys_sqlite/nccl_call.h"
#include "core/trace/kernel_name.h"

namespace lockstep {

namespace {

// Names for CUpti_ActivityMemcpyKind.
constexpr std::array<std::string_view, 11> kSpoolCopyNames{
    "Memcpy Unknown", "Memcpy HtoD", "Memcpy DtoH", "Memcpy HtoA", "Memcpy AtoH", "Memcpy AtoA",
    "Memcpy AtoD",    "Memcpy DtoA", "Memcpy DtoD", "Memcpy HtoH", "Memcpy PtoP"};
// Names for CUpti_ActivitySynchronizationType.
constexpr std::array<std::string_view, 5> kSpoolWaitNames{
    "Synchronization", "Event synchronize", "Stream wait event", "Stream synchronize", "Context synchronize"};
constexpr uint64_t kNoStream = 0xFFFFFFFF;

// Converts a CUpti_ActivityMemoryKind: 0 unknown, 1 pageable, 2 pinned, 3 device, 4 array, 5 managed, 6
// device static, 7 managed static. MemoryKind uses the numbering of nsys.
MemoryKind memoryKind(uint64_t number)
{
    return number >= 1 && number <= 7 ? static_cast<MemoryKind>(number - 1) : MemoryKind::unknown;
}

// Returns the name of a CUpti_ActivityOverheadKind.
std::string_view overheadName(uint64_t kind)
{
    switch (kind) {
    case 1:
        return "CUDA: driver compiler";
    case 1u << 16:
        return "CUPTI: buffer flush";
    case 2u << 16:
        return "CUPTI: instrumentation";
    case 3u << 16:
        return "CUPTI: resource";
    case 4u << 16:
        return "CUDA: module loading";
    case 5u << 16:
        return "CUDA: lazy function loading";
    case 6u << 16:
        return "CUDA: command buffer full";
    case 7u << 16:
        return "CUPTI: activity buffer request";
    case 8u << 16:
        return "CUDA: UVM initialization";
    default:
        return "CUDA: overhead";
    }
}

std::string demangled(std::string_view name)
{
    if (!name.starts_with("_Z")) return std::string(name);
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> text(
        abi::__cxa_demangle(std::string(name).c_str(), nullptr, nullptr, &status), &std::free);
    return status == 0 && text != nullptr ? std::string(text.get()) : std::string(name);
}

// Names of fields and the facts that they record. A copy's size is in its MemoryOp.
constexpr std::array<std::pair<std::string_view, RowFact>, 12> kSpoolFacts{
    {{"context", RowFact::context},
     {"grid_x", RowFact::gridX},
     {"grid_y", RowFact::gridY},
     {"grid_z", RowFact::gridZ},
     {"block_x", RowFact::blockX},
     {"block_y", RowFact::blockY},
     {"block_z", RowFact::blockZ},
     {"registers", RowFact::registers},
     {"static_shared", RowFact::staticShared},
     {"dynamic_shared", RowFact::dynamicShared},
     {"graph_node", RowFact::graphNode},
     {"result", RowFact::result}}};

std::vector<std::pair<size_t, RowFact>> factFieldsOf(unsigned kind)
{
    std::vector<std::pair<size_t, RowFact>> fields;
    for (unsigned i = 0; i < spoolFieldCount(kind); ++i) {
        for (const auto& [name, fact] : kSpoolFacts) {
            if (name == spoolFieldName(kind, i)) fields.emplace_back(i, fact);
        }
    }
    return fields;
}

uint64_t correlationOf(uint64_t field)
{
    return field != 0 ? field : kNoCorrelation;
}

} // namespace

SliceRow SpoolGpu::row(const SpoolRecord& record, RowKind kind, SliceCategory category, StringId name,
                       uint64_t correlation)
{
    SliceRow row;
    row.start_ns = static_cast<int64_t>(record.fields[0]);
    row.duration_ns = static_cast<int64_t>(record.fields[1]);
    row.source = m_reading.source(record);
    row.name = name;
    row.correlation = static_cast<uint32_t>(correlationOf(correlation));
    row.kind = kind;
    row.category = category;
    setFacts(record, row);
    return row;
}

// Fields that the writer of the block did not record are absent.
void SpoolGpu::setFacts(const SpoolRecord& record, SliceRow& row)
{
    auto& fields = m_factFields[record.kind];
    if (!fields) fields = factFieldsOf(record.kind);
    const unsigned recorded = m_reading.records->fieldCount(record.kind);
    FactList facts;
    for (const auto& [field, fact] : *fields) {
        const bool isNone = record.fields[field] == 0 && fact == RowFact::graphNode;
        if (field < recorded && !isNone) facts.set(fact, static_cast<int64_t>(record.fields[field]));
    }
    if (!facts.empty() || row.correlation != kNoCorrelation) row.setFactSet(m_factNumbers.number(facts));
}

TrackId SpoolGpu::gpuTrack(TrackKind kind, uint64_t device, uint64_t context, uint64_t stream)
{
    const DeviceId on = m_reading.builder.device(m_reading.process, static_cast<int>(device));
    return m_reading.builder.track({kind,
                                    m_reading.process,
                                    {},
                                    on,
                                    stream == kNoStream ? -1 : static_cast<int64_t>(stream),
                                    static_cast<int64_t>(context)});
}

TrackId SpoolGpu::threadTrack(TrackKind kind, uint64_t tid)
{
    const ThreadId thread = m_reading.builder.thread(m_reading.process, static_cast<int64_t>(tid));
    return m_reading.builder.track({kind, m_reading.process, thread, {}, 0, 0});
}

// CUPTI writes 0 for both timestamps if it could not measure them.
bool SpoolGpu::addWork(TrackId track, const SliceRow& row)
{
    if (row.start_ns == 0) {
        m_reading.note("spool.gpu_no_time", NoteSeverity::dataLoss,
                       "GPU work without timestamps from CUPTI: counted, not shown");
        return false;
    }
    return m_reading.add(track, row);
}

const SpoolGpu::KernelNames& SpoolGpu::kernelNames(uint64_t text)
{
    const std::string_view recorded = m_reading.records->text(text);
    const auto [entry, isNew] = m_kernels.try_emplace(std::string(recorded));
    if (!isNew) return entry->second;
    const std::string full = repairedUtf8(demangled(recorded));
    KernelNames& names = entry->second;
    names.full = m_reading.builder.intern(full);
    names.base = m_reading.builder.intern(kernelBaseName(full));
    names.category = kernelCategory(kernelBaseName(full));
    if (names.full != names.base) m_shortNames[names.full] = names.base;
    return names;
}

void SpoolGpu::kernel(const SpoolRecord& record)
{
    const auto& field = record.fields;
    const KernelNames& names = kernelNames(field[6]);
    const SliceRow work = row(record, RowKind::kernel, names.category, names.full, field[5]);
    if (!addWork(gpuTrack(TrackKind::gpuStream, field[2], field[3], field[4]), work)) return;
    if (names.category != SliceCategory::communication) return;
    const auto parts = ncclKernelName(m_reading.builder.text(names.base));
    if (!parts) return;
    CollectiveOp op;
    op.collective = m_reading.builder.intern(parts->operation);
    if (!parts->dataType.empty()) op.dataType = m_reading.builder.intern(parts->dataType);
    m_reading.batch.addCollective(work.source, op);
}

void SpoolGpu::copy(const SpoolRecord& record)
{
    const auto& field = record.fields;
    MemoryOp op;
    op.kind = field[6] < kSpoolCopyNames.size() ? static_cast<CopyKind>(field[6]) : CopyKind::unknown;
    op.source = memoryKind(field[7]);
    op.destination = memoryKind(field[8]);
    op.size_bytes = field[9];
    const StringId name = m_reading.builder.intern(kSpoolCopyNames[static_cast<size_t>(op.kind)]);
    const SliceRow work = row(record, RowKind::memcpy, copyCategory(op.kind), name, field[5]);
    if (addWork(gpuTrack(TrackKind::gpuStream, field[2], field[3], field[4]), work))
        m_reading.batch.addMemoryOp(work.source, op);
}

void SpoolGpu::set(const SpoolRecord& record)
{
    const auto& field = record.fields;
    MemoryOp op;
    op.kind = CopyKind::memset;
    op.destination = memoryKind(field[7]);
    op.size_bytes = field[6];
    const SliceRow work =
        row(record, RowKind::memset, SliceCategory::memset, m_reading.builder.intern("Memset"), field[5]);
    if (addWork(gpuTrack(TrackKind::gpuStream, field[2], field[3], field[4]), work))
        m_reading.batch.addMemoryOp(work.source, op);
}

void SpoolGpu::api(const SpoolRecord& record)
{
    const auto& field = record.fields;
    const RowKind kind = field[4] == LOCKSTEP_API_DRIVER ? RowKind::driverApi : RowKind::runtimeApi;
    m_reading.add(threadTrack(TrackKind::cudaApi, field[2]),
                  row(record, kind, SliceCategory::cudaApi, m_reading.name(field[5]), field[3]));
}

void SpoolGpu::sync(const SpoolRecord& record)
{
    const auto& field = record.fields;
    const StringId name = m_reading.builder.intern(
        kSpoolWaitNames[field[2] < kSpoolWaitNames.size() ? static_cast<size_t>(field[2]) : 0]);
    const auto device = m_deviceOfContext.find(field[3]);
    addWork(gpuTrack(TrackKind::gpuSync, device != m_deviceOfContext.end() ? device->second : 0, field[3],
                     field[4]),
            row(record, RowKind::synchronization, SliceCategory::synchronization, name, field[6]));
}

void SpoolGpu::event(const SpoolRecord& record)
{
    if (record.fields[0] == 0) return; // only the existence of the record is known
    const auto& field = record.fields;
    const auto device = m_deviceOfContext.find(field[1]);
    SliceRow mark = row(record, RowKind::cudaEvent, SliceCategory::synchronization,
                        m_reading.builder.intern("Event record"), field[4]);
    mark.duration_ns = 0;
    mark.flags = sliceFlag::kInstant;
    m_reading.add(gpuTrack(TrackKind::gpuSync, device != m_deviceOfContext.end() ? device->second : 0,
                           field[1], field[2]),
                  mark);
}

void SpoolGpu::overhead(const SpoolRecord& record)
{
    const auto& field = record.fields;
    const SliceRow slice = row(record, RowKind::overhead, SliceCategory::overhead,
                               m_reading.builder.intern(overheadName(field[2])), 0);
    if (slice.start_ns == 0) return;
    const TrackId track =
        field[3] != 0 ? threadTrack(TrackKind::overhead, field[3])
                      : m_reading.builder.track({TrackKind::overhead, m_reading.process, {}, {}, 1, 0});
    m_reading.add(track, slice);
}

void SpoolGpu::graph(const SpoolRecord& record)
{
    const auto& field = record.fields;
    const StringId name = m_reading.builder.intern("CUDA graph " + std::to_string(field[6]));
    addWork(gpuTrack(TrackKind::gpuGraph, field[2], field[3], field[4]),
            row(record, RowKind::graphLaunch, SliceCategory::graph, name, field[5]));
}

// Handles a memory record. CUpti_ActivityMemoryOperationType: 1 = allocation, 2 = release.
void SpoolGpu::memory(const SpoolRecord& record)
{
    const auto& field = record.fields;
    SliceRow mark =
        row(record, RowKind::memoryEvent, SliceCategory::other,
            m_reading.builder.intern(field[1] == 1 ? "CUDA memory allocated" : "CUDA memory released"), 0);
    mark.duration_ns = 0;
    mark.flags = sliceFlag::kInstant;
    const TrackId track = m_reading.builder.track({TrackKind::memoryEvents, m_reading.process, {}, {}, 1, 0});
    m_reading.builder.setTrackName(track, m_reading.builder.intern("CUDA memory"));
    if (!m_reading.add(track, mark)) return;
    const std::pair<uint64_t, uint64_t> where{field[5], field[2]};
    const auto size = static_cast<int64_t>(field[4] & INT64_MAX);
    int64_t& allocated = m_allocated_bytes[where];
    allocated = static_cast<int64_t>(static_cast<uint64_t>(allocated) +
                                     static_cast<uint64_t>(field[1] == 1 ? size : -size));
    m_allocated[where].emplace_back(mark.start_ns, static_cast<double>(allocated));
}

bool SpoolGpu::take(const SpoolRecord& record)
{
    const auto& field = record.fields;
    switch (record.kind) {
    case LOCKSTEP_KIND_KERNEL:
        kernel(record);
        return true;
    case LOCKSTEP_KIND_MEMCPY:
        copy(record);
        return true;
    case LOCKSTEP_KIND_MEMSET:
        set(record);
        return true;
    case LOCKSTEP_KIND_API:
        api(record);
        return true;
    case LOCKSTEP_KIND_SYNC:
        sync(record);
        return true;
    case LOCKSTEP_KIND_OVERHEAD:
        overhead(record);
        return true;
    case LOCKSTEP_KIND_GRAPH:
        graph(record);
        return true;
    case LOCKSTEP_KIND_MEMORY:
        memory(record);
        return true;
    case LOCKSTEP_KIND_CUDA_EVENT:
        event(record);
        return true;
    case LOCKSTEP_KIND_DEVICE:
        m_devices[field[0]] = {repairedUtf8(m_reading.records->text(field[1])),
                               repairedUtf8(m_reading.records->text(field[2])), field[3],
                               static_cast<int>(field[4])};
        return true;
    case LOCKSTEP_KIND_CONTEXT:
        m_deviceOfContext[field[0]] = field[1];
        return true;
    case LOCKSTEP_KIND_STREAM:
        return true;
    case LOCKSTEP_KIND_OTHER_ACTIVITY:
        m_reading.note("spool.other_activity", NoteSeverity::info,
                       "CUDA records of kinds that the capture does not store", field[1]);
        return true;
    default:
        return false;
    }
}

void SpoolGpu::begin(const SpoolCarry& before)
{
    m_devices = before.devices;
    m_deviceOfContext = before.deviceOfContext;
    m_allocated_bytes = before.allocated_bytes;
}

void SpoolGpu::carry(SpoolCarry& after) const
{
    after.devices = m_devices;
    after.deviceOfContext = m_deviceOfContext;
    after.allocated_bytes = m_allocated_bytes;
}

void SpoolGpu::finish()
{
    Report& report = m_reading.builder.report();
    for (const auto& [ordinal, properties] : m_devices) {
        const DeviceId id = m_reading.builder.device(m_reading.process, static_cast<int>(ordinal));
        Device& device = report.devices[id.value];
        device.name = m_reading.builder.intern(properties.name);
        device.uuid = m_reading.builder.intern(properties.uuid);
        device.memory_bytes = properties.memory_bytes;
        device.multiprocessors = properties.multiprocessors;
    }
    report.shortNames.assign(m_shortNames.begin(), m_shortNames.end());
    for (auto& [where, samples] : m_allocated) {
        CounterTrack track;
        const MemoryKind kind = memoryKind(where.second);
        track.name = m_reading.builder.intern("CUDA memory allocated, " + std::string(memoryKindName(kind)));
        track.unit = m_reading.builder.intern("B");
        track.process = m_reading.process;
        track.device = m_reading.builder.device(m_reading.process, static_cast<int>(where.first));
        m_reading.builder.addSamples(m_reading.builder.addCounterTrack(track), std::move(samples));
    }
}

} // namespace lockstep
