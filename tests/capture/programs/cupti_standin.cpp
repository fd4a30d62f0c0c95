// SPDX-License-Identifier: Apache-2.0
// A stand-in for CUPTI, built with the real headers. It delivers activity buffers of every record kind that
// the library reads, in the oldest and the newest layout. The path from buffer to report can thus be tested
// without a GPU. STANDIN_VERSION: the CUPTI version that it reports (12: CUDA 10.0). STANDIN_HELD: it is in
// use by another tool.
#include <cuda.h>
#include <cupti.h>
#if __has_include(<cupti_activity_deprecated.h>)
#include <cupti_activity_deprecated.h>
#endif

#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

CUpti_BuffersCallbackRequestFunc g_request = nullptr;
CUpti_BuffersCallbackCompleteFunc g_complete = nullptr;
CUpti_CallbackFunc g_callback = nullptr;
uint64_t (*g_now)() = nullptr;
bool g_isEnabled[CUPTI_ACTIVITY_KIND_COUNT] = {};
bool g_isDelivered = false;
size_t g_dropped = 3;
std::vector<size_t> g_sizes; // of the records in the single buffer

uint32_t version()
{
    const char* const set = std::getenv("STANDIN_VERSION");
    return set != nullptr ? static_cast<uint32_t>(std::atoi(set)) : CUPTI_API_VERSION;
}

bool isOld()
{
    return version() < 13;
}

class Buffer {
  public:
    Buffer() { g_request(&m_bytes, &m_size, &m_most); }
    template<class T>
    T* add(CUpti_ActivityKind kind, size_t size)
    {
        if (m_bytes == nullptr || m_used + size > m_size || !g_isEnabled[kind]) return &scratch<T>();
        auto* const record = reinterpret_cast<T*>(m_bytes + m_used);
        std::memset(m_bytes + m_used, 0, size);
        record->kind = kind;
        m_used += size;
        g_sizes.push_back(size);
        return record;
    }
    void complete()
    {
        if (m_bytes != nullptr) g_complete(nullptr, 0, m_bytes, m_size, m_used);
    }

  private:
    template<class T>
    static T& scratch()
    {
        static T one;
        return one;
    }

    uint8_t* m_bytes = nullptr;
    size_t m_size = 0, m_most = 0, m_used = 0;
};

template<class T>
void place(T* record, uint64_t start, uint64_t end, uint32_t correlation)
{
    record->start = start;
    record->end = end;
    record->deviceId = 1;
    record->contextId = 2;
    record->streamId = 7;
    record->correlationId = correlation;
}

void addWork(Buffer& buffer, uint64_t now)
{
    for (uint32_t i = 0; i < 4; ++i) {
        auto* const call =
            buffer.add<CUpti_ActivityAPI>(CUPTI_ACTIVITY_KIND_RUNTIME, sizeof(CUpti_ActivityAPI));
        call->cbid = CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000;
        call->start = now + i * 1000;
        call->end = now + i * 1000 + 500;
        call->threadId = 4242;
        call->correlationId = 100 + i;
    }
    for (uint32_t i = 0; i < 2; ++i) {
        auto* const kernel = buffer.add<CUpti_ActivityKernel5>(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                                               isOld() ? sizeof(CUpti_ActivityKernel4)
                                                                       : sizeof(CUpti_ActivityKernel10));
        place(kernel, now + 5000 + i * 1000, now + 5900 + i * 1000, 100 + i);
        kernel->name = i == 0 ? "_ZN2ns10someKernelIfEEvPT_i" : "plainKernel";
        kernel->gridX = 80;
        kernel->blockX = 256;
    }
    auto* const copy = buffer.add<CUpti_ActivityMemcpy3>(
        CUPTI_ACTIVITY_KIND_MEMCPY, isOld() ? sizeof(CUpti_ActivityMemcpy) : sizeof(CUpti_ActivityMemcpy6));
    place(copy, now + 8000, now + 8500, 102);
    copy->copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
    copy->bytes = 4096;
    auto* const peer = buffer.add<CUpti_ActivityMemcpyPtoP2>(CUPTI_ACTIVITY_KIND_MEMCPY2,
                                                             isOld() ? sizeof(CUpti_ActivityMemcpyPtoP)
                                                                     : sizeof(CUpti_ActivityMemcpyPtoP4));
    place(peer, now + 9000, now + 9500, 104);
    peer->copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_PTOP;
    auto* const set = buffer.add<CUpti_ActivityMemset2>(
        CUPTI_ACTIVITY_KIND_MEMSET, isOld() ? sizeof(CUpti_ActivityMemset) : sizeof(CUpti_ActivityMemset4));
    place(set, now + 10000, now + 10500, 103);
    set->bytes = 8192;
    auto* const unknown = buffer.add<CUpti_ActivityKernel5>(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                                            isOld() ? sizeof(CUpti_ActivityKernel4)
                                                                    : sizeof(CUpti_ActivityKernel10));
    place(unknown, 0, 0, 105); // without a time
    unknown->name = "untimed";
}

void addRest(Buffer& buffer, uint64_t now)
{
    auto* const driver = buffer.add<CUpti_ActivityAPI>(CUPTI_ACTIVITY_KIND_DRIVER, sizeof(CUpti_ActivityAPI));
    driver->cbid = CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2;
    driver->start = now;
    driver->end = now + 100;
    driver->threadId = 4242;
    auto* const sync = buffer.add<CUpti_ActivitySynchronization>(
        CUPTI_ACTIVITY_KIND_SYNCHRONIZATION,
        isOld() ? sizeof(CUpti_ActivitySynchronization) : sizeof(CUpti_ActivitySynchronization2));
    sync->type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE;
    sync->start = now + 11000;
    sync->end = now + 12000;
    sync->contextId = 2;
    sync->streamId = 7;
    auto* const overhead = buffer.add<CUpti_ActivityOverhead>(CUPTI_ACTIVITY_KIND_OVERHEAD,
                                                              isOld() ? sizeof(CUpti_ActivityOverhead)
                                                                      : sizeof(CUpti_ActivityOverhead3));
    overhead->overheadKind = CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER;
    overhead->objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
    overhead->objectId.pt.threadId = 4242;
    overhead->start = now + 12000;
    overhead->end = now + 12500;
    auto* const memory = buffer.add<CUpti_ActivityMemory2>(
        CUPTI_ACTIVITY_KIND_MEMORY2, isOld() ? sizeof(CUpti_ActivityMemory2) : sizeof(CUpti_ActivityMemory4));
    memory->memoryOperationType = CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION;
    memory->memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
    memory->bytes = 1 << 20;
    memory->timestamp = now + 50;
    memory->deviceId = 1;
    buffer
        .add<CUpti_ActivityCudaEvent>(CUPTI_ACTIVITY_KIND_CUDA_EVENT, isOld()
                                                                          ? sizeof(CUpti_ActivityCudaEvent)
                                                                          : sizeof(CUpti_ActivityCudaEvent2))
        ->contextId = 2;
    auto* const graph = buffer.add<CUpti_ActivityGraphTrace>(CUPTI_ACTIVITY_KIND_GRAPH_TRACE,
                                                             sizeof(CUpti_ActivityGraphTrace));
    graph->start = now + 13000;
    graph->end = now + 13800;
    graph->deviceId = 1;
    graph->contextId = 2;
    graph->streamId = 7;
    graph->correlationId = 103;
    graph->graphId = 5;
    auto* const device = buffer.add<CUpti_ActivityDevice2>(
        CUPTI_ACTIVITY_KIND_DEVICE, isOld() ? sizeof(CUpti_ActivityDevice2) : sizeof(CUpti_ActivityDevice5));
    device->id = 1;
    device->name = "Stand-in GPU";
    device->globalMemorySize = uint64_t(80) << 30;
    device->numMultiprocessors = 132;
    auto* const context = buffer.add<CUpti_ActivityContext>(CUPTI_ACTIVITY_KIND_CONTEXT,
                                                            isOld() ? sizeof(CUpti_ActivityContext)
                                                                    : sizeof(CUpti_ActivityContext3));
    context->contextId = 2;
    context->deviceId = 1;
    auto* const stream =
        buffer.add<CUpti_ActivityStream>(CUPTI_ACTIVITY_KIND_STREAM, sizeof(CUpti_ActivityStream));
    stream->contextId = 2;
    stream->streamId = 7;
}

} // namespace

#define STANDIN extern "C" __attribute__((visibility("default"))) CUptiResult

STANDIN cuptiGetVersion(uint32_t* out)
{
    *out = version();
    return CUPTI_SUCCESS;
}
STANDIN cuptiGetResultString(CUptiResult, const char** text)
{
    *text = "the stand-in's error";
    return CUPTI_SUCCESS;
}
STANDIN cuptiSubscribe_v2(CUpti_SubscriberHandle*, CUpti_CallbackFunc callback, void*,
                          CUpti_SubscriberParams* names)
{
    g_callback = callback;
    if (std::getenv("STANDIN_HELD") == nullptr) return CUPTI_SUCCESS;
    std::strncpy(names->oldSubscriberName, "CUPTI for Another Profiler", names->oldSubscriberSize);
    return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
}
STANDIN cuptiSubscribe(CUpti_SubscriberHandle*, CUpti_CallbackFunc callback, void*)
{
    g_callback = callback;
    return CUPTI_SUCCESS;
}
STANDIN cuptiEnableCallback(uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain, CUpti_CallbackId)
{
    return CUPTI_SUCCESS;
}
STANDIN cuptiGetCallbackName(CUpti_CallbackDomain domain, uint32_t id, const char** name)
{
    *name = domain == CUPTI_CB_DOMAIN_RUNTIME_API && id == CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000
                ? "cudaLaunchKernel_v7000"
                : nullptr;
    return *name != nullptr ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}
STANDIN cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                       CUpti_BuffersCallbackCompleteFunc complete)
{
    g_request = request;
    g_complete = complete;
    return CUPTI_SUCCESS;
}
STANDIN cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc now)
{
    g_now = now;
    return CUPTI_SUCCESS;
}
STANDIN cuptiActivityEnable(CUpti_ActivityKind kind)
{
    if (kind == CUPTI_ACTIVITY_KIND_GRAPH_TRACE && isOld()) return CUPTI_ERROR_INVALID_KIND;
    g_isEnabled[kind] = true;
    return CUPTI_SUCCESS;
}
STANDIN cuptiActivityDisable(CUpti_ActivityKind)
{
    return CUPTI_SUCCESS;
}
STANDIN cuptiActivityFlushAll(uint32_t)
{
    if (g_isDelivered || g_request == nullptr || !g_isEnabled[CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL])
        return CUPTI_SUCCESS;
    g_isDelivered = true;
    Buffer buffer;
    const uint64_t now = g_now();
    addWork(buffer, now);
    addRest(buffer, now);
    buffer.complete();
    return CUPTI_SUCCESS;
}
STANDIN cuptiActivityGetNextRecord(uint8_t* bytes, size_t valid, CUpti_Activity** record)
{
    size_t at = 0, index = 0;
    if (*record != nullptr) {
        const size_t last = static_cast<size_t>(reinterpret_cast<uint8_t*>(*record) - bytes);
        while (at < last)
            at += g_sizes[index++];
        at += g_sizes[index];
    }
    if (at >= valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
    *record = reinterpret_cast<CUpti_Activity*>(bytes + at);
    return CUPTI_SUCCESS;
}
STANDIN cuptiActivityGetNumDroppedRecords(CUcontext, uint32_t, size_t* dropped)
{
    *dropped = g_dropped;
    g_dropped = 0;
    return CUPTI_SUCCESS;
}
// For the test program: the calls that cudaProfilerStart and Stop cause in CUPTI.
extern "C" __attribute__((visibility("default"))) void standinProfiler(int starts)
{
    CUpti_CallbackData data = {};
    const CUpti_CallbackId id =
        starts != 0 ? CUPTI_DRIVER_TRACE_CBID_cuProfilerStart : CUPTI_DRIVER_TRACE_CBID_cuProfilerStop;
    for (const auto site : {CUPTI_API_ENTER, CUPTI_API_EXIT}) {
        data.callbackSite = site;
        g_callback(nullptr, CUPTI_CB_DOMAIN_DRIVER_API, id, &data);
    }
}
