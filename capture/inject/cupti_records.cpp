// SPDX-License-Identifier: Apache-2.0
#include "capture/inject/cupti_records.h"

#include <cstring>

namespace lockstep::capture {

namespace {

constexpr uint32_t kThreadObject = 2; // CUPTI_ACTIVITY_OBJECT_THREAD
constexpr size_t kMaxNames = 200'000;

template<class T>
const T& as(const CUpti_Activity& record)
{
    return reinterpret_cast<const T&>(record);
}

BlockBuilder& span(BlockBuilder& block, LockstepSpoolKind kind, uint64_t start_ns, uint64_t end_ns)
{
    block.begin(kind).timestamp(static_cast<int64_t>(start_ns));
    return block.number(end_ns > start_ns ? end_ns - start_ns : 0);
}

uint64_t plain(int32_t number)
{
    return number > 0 ? static_cast<uint64_t>(number) : 0;
}

} // namespace

uint32_t CuptiRecords::kernelName(const char* name, BlockBuilder& block)
{
    if (name == nullptr) return 0;
    if (m_names.size() > kMaxNames) m_names.clear();
    Known& known = m_names[name];
    if (known.generation != block.generation()) known = {block.generation(), block.text(name)};
    return known.number;
}

uint32_t CuptiRecords::apiName(bool isDriver, uint32_t id, BlockBuilder& block)
{
    std::string& name = m_apiNames[uint64_t(isDriver) << 32 | id];
    if (name.empty()) {
        const char* text = nullptr;
        const auto domain = isDriver ? CUPTI_CB_DOMAIN_DRIVER_API : CUPTI_CB_DOMAIN_RUNTIME_API;
        const bool isKnown =
            m_library.cuptiGetCallbackName(domain, id, &text) == CUPTI_SUCCESS && text != nullptr;
        name = isKnown ? text : (isDriver ? "CUDA driver call " : "CUDA runtime call ") + std::to_string(id);
    }
    return block.text(name);
}

void CuptiRecords::kernel(const CUpti_Activity& record, BlockBuilder& block)
{
    const auto& of = as<CUpti_ActivityKernel5>(record);
    const bool hasGraph = m_library.version >= CuptiLibrary::kCuda11;
    span(block, LOCKSTEP_KIND_KERNEL, of.start, of.end)
        .number(of.deviceId)
        .number(of.contextId)
        .number(of.streamId);
    block.number(of.correlationId).number(kernelName(of.name, block));
    block.number(plain(of.gridX)).number(plain(of.gridY)).number(plain(of.gridZ));
    block.number(plain(of.blockX)).number(plain(of.blockY)).number(plain(of.blockZ));
    block.number(of.registersPerThread)
        .number(plain(of.staticSharedMemory))
        .number(plain(of.dynamicSharedMemory));
    block.number(of.localMemoryPerThread)
        .number(hasGraph ? of.graphNodeId : 0)
        .number(hasGraph ? of.graphId : 0);
    block.number(of.launchType);
}

void CuptiRecords::copy(const CUpti_Activity& record, BlockBuilder& block)
{
    const auto& of = as<CUpti_ActivityMemcpy3>(record);
    span(block, LOCKSTEP_KIND_MEMCPY, of.start, of.end)
        .number(of.deviceId)
        .number(of.contextId)
        .number(of.streamId);
    block.number(of.correlationId).number(of.copyKind).number(of.srcKind).number(of.dstKind).number(of.bytes);
    block.number(of.flags)
        .number(m_library.version >= CuptiLibrary::kCuda11 ? of.graphNodeId : 0)
        .number(of.deviceId);
}

void CuptiRecords::peerCopy(const CUpti_Activity& record, BlockBuilder& block)
{
    const auto& of = as<CUpti_ActivityMemcpyPtoP2>(record);
    span(block, LOCKSTEP_KIND_MEMCPY, of.start, of.end)
        .number(of.deviceId)
        .number(of.contextId)
        .number(of.streamId);
    block.number(of.correlationId).number(of.copyKind).number(of.srcKind).number(of.dstKind).number(of.bytes);
    block.number(of.flags).number(m_library.version >= CuptiLibrary::kCuda11 ? of.graphNodeId : 0);
    block.number(of.dstDeviceId);
}

void CuptiRecords::set(const CUpti_Activity& record, BlockBuilder& block)
{
    const auto& of = as<CUpti_ActivityMemset2>(record);
    span(block, LOCKSTEP_KIND_MEMSET, of.start, of.end)
        .number(of.deviceId)
        .number(of.contextId)
        .number(of.streamId);
    block.number(of.correlationId).number(of.bytes).number(of.memoryKind).number(of.value);
    block.number(m_library.version >= CuptiLibrary::kCuda11 ? of.graphNodeId : 0);
}

void CuptiRecords::api(const CUpti_Activity& record, BlockBuilder& block)
{
    const auto& of = as<CUpti_ActivityAPI>(record);
    const bool isDriver = of.kind == CUPTI_ACTIVITY_KIND_DRIVER;
    const uint32_t name = apiName(isDriver, of.cbid, block);
    span(block, LOCKSTEP_KIND_API, of.start, of.end).number(of.threadId).number(of.correlationId);
    block.number(isDriver ? LOCKSTEP_API_DRIVER : LOCKSTEP_API_RUNTIME).number(name).number(of.returnValue);
}

void CuptiRecords::sync(const CUpti_Activity& record, BlockBuilder& block)
{
    const auto& of = as<CUpti_ActivitySynchronization>(record);
    span(block, LOCKSTEP_KIND_SYNC, of.start, of.end)
        .number(of.type)
        .number(of.contextId)
        .number(of.streamId);
    block.number(of.cudaEventId).number(of.correlationId).number(0);
}

void CuptiRecords::overhead(const CUpti_Activity& record, BlockBuilder& block)
{
    const auto& of = as<CUpti_ActivityOverhead>(record);
    span(block, LOCKSTEP_KIND_OVERHEAD, of.start, of.end).number(of.overheadKind);
    block.number(uint32_t(of.objectKind) == kThreadObject ? of.objectId.pt.threadId : 0);
}

void CuptiRecords::graph(const CUpti_Activity& record, BlockBuilder& block)
{
    const auto& of = as<CUpti_ActivityGraphTrace>(record);
    span(block, LOCKSTEP_KIND_GRAPH, of.start, of.end)
        .number(of.deviceId)
        .number(of.contextId)
        .number(of.streamId);
    block.number(of.correlationId).number(of.graphId);
}

void CuptiRecords::memory(const CUpti_Activity& record, BlockBuilder& block)
{
    const auto& of = as<CUpti_ActivityMemory2>(record);
    const uint32_t name = kernelName(of.name, block);
    block.begin(LOCKSTEP_KIND_MEMORY).timestamp(static_cast<int64_t>(of.timestamp));
    block.number(of.memoryOperationType).number(of.memoryKind).number(of.address).number(of.bytes);
    block.number(of.deviceId).number(of.contextId).number(of.streamId).number(of.isAsync).number(name);
}

void CuptiRecords::event(const CUpti_Activity& record, BlockBuilder& block)
{
    const auto& of = as<CUpti_ActivityCudaEvent>(record);
    block.begin(LOCKSTEP_KIND_CUDA_EVENT).timestamp(0).number(of.contextId).number(of.streamId);
    block.number(of.eventId).number(of.correlationId);
}

void CuptiRecords::writeEntity(const Entity& entity, BlockBuilder& block)
{
    std::vector<uint32_t> texts;
    for (const std::string& text : entity.texts)
        texts.push_back(block.text(text));
    block.begin(entity.kind).number(entity.numbers[0]);
    for (const uint32_t text : texts)
        block.number(text);
    for (size_t i = 1; i < entity.numbers.size(); ++i)
        block.number(entity.numbers[i]);
}

void CuptiRecords::storeEntity(const std::string& key, Entity entity, BlockBuilder& block)
{
    writeEntity(entity, block);
    m_entities.insert_or_assign(key, std::move(entity));
}

void CuptiRecords::device(const CUpti_Activity& record, BlockBuilder& block)
{
    const auto& of = as<CUpti_ActivityDevice2>(record);
    std::string uuid = "GPU-";
    for (size_t i = 0; i < sizeof of.uuid.bytes; ++i) {
        const auto byte = static_cast<uint8_t>(of.uuid.bytes[i]);
        if (i == 4 || i == 6 || i == 8 || i == 10) uuid += '-';
        uuid += "0123456789abcdef"[byte >> 4];
        uuid += "0123456789abcdef"[byte & 15];
    }
    storeEntity("device " + std::to_string(of.id),
                {LOCKSTEP_KIND_DEVICE,
                 {of.id, of.globalMemorySize, of.numMultiprocessors, of.computeCapabilityMajor,
                  of.computeCapabilityMinor, of.coreClockRate},
                 {of.name != nullptr ? of.name : "", uuid}},
                block);
}

void CuptiRecords::context(const CUpti_Activity& record, BlockBuilder& block)
{
    const auto& of = as<CUpti_ActivityContext>(record);
    storeEntity("context " + std::to_string(of.contextId),
                {LOCKSTEP_KIND_CONTEXT, {of.contextId, of.deviceId, of.computeApiKind, of.nullStreamId}, {}},
                block);
}

void CuptiRecords::stream(const CUpti_Activity& record, BlockBuilder& block)
{
    const auto& of = as<CUpti_ActivityStream>(record);
    storeEntity("stream " + std::to_string(of.contextId) + " " + std::to_string(of.streamId),
                {LOCKSTEP_KIND_STREAM,
                 {of.contextId, of.streamId, of.priority, uint64_t(of.flag), of.correlationId},
                 {}},
                block);
}

void CuptiRecords::writeEntities(BlockBuilder& block)
{
    for (const auto& [key, entity] : m_entities)
        writeEntity(entity, block);
    for (const auto& [kind, count] : m_others)
        block.begin(LOCKSTEP_KIND_OTHER_ACTIVITY).number(kind).number(count);
    m_others.clear();
}

void CuptiRecords::encode(const CUpti_Activity& record, BlockBuilder& block)
{
    switch (record.kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
        return kernel(record, block);
    case CUPTI_ACTIVITY_KIND_MEMCPY:
        return copy(record, block);
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
        return peerCopy(record, block);
    case CUPTI_ACTIVITY_KIND_MEMSET:
        return set(record, block);
    case CUPTI_ACTIVITY_KIND_DRIVER:
    case CUPTI_ACTIVITY_KIND_RUNTIME:
        return api(record, block);
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
        return sync(record, block);
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
        return overhead(record, block);
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
        return graph(record, block);
    case CUPTI_ACTIVITY_KIND_MEMORY2:
        return memory(record, block);
    case CUPTI_ACTIVITY_KIND_CUDA_EVENT:
        return event(record, block);
    case CUPTI_ACTIVITY_KIND_DEVICE:
        return device(record, block);
    case CUPTI_ACTIVITY_KIND_CONTEXT:
        return context(record, block);
    case CUPTI_ACTIVITY_KIND_STREAM:
        return stream(record, block);
    default:
        ++m_others[static_cast<uint32_t>(record.kind)];
    }
}

} // namespace lockstep::capture
