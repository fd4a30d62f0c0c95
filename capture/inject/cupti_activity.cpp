// SPDX-License-Identifier: Apache-2.0
// The CUDA part of the library: subscribes to CUPTI, enables and disables its activity kinds with the gate,
// and queues its full buffers for the writer. CUPTI callbacks run on threads of the program and on a thread
// of CUPTI. They only queue data.
#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <utility>

#include "capture/format/spool_format.h"
#include "capture/inject/call_state.h"
#include "capture/inject/capture_log.h"
#include "capture/inject/cuda_activity.h"
#include "capture/inject/cupti_library.h"
#include "capture/inject/cupti_records.h"
#include "capture/inject/recorder.h"
#include "capture/inject/timestamp.h"

namespace lockstep::capture {

namespace {

constexpr size_t kBuffer_bytes = 512u << 10; // CUPTI clears each buffer, which takes time in the program
constexpr size_t kSpareBuffers = 16;
constexpr int64_t kPoll_ns = 200'000'000;
constexpr int64_t kLongestDrain_ns = 1'000'000'000;
constexpr uint32_t kForced = 1; // CUPTI_ACTIVITY_FLAG_FLUSH_FORCED

struct FullBuffer {
    uint8_t* bytes = nullptr;
    size_t valid_bytes = 0;
    uint64_t epoch = 0; // epoch in which CUPTI delivered the buffer
};

class CuptiActivity final : public CudaActivity {
  public:
    void attach(Recorder& recorder) override;
    void record() noexcept override;
    void drain(bool stops) noexcept override;
    void poll() noexcept override;
    uint64_t endEpoch() noexcept override { return m_epoch.fetch_add(1); }
    bool encode(BlockBuilder& block, uint64_t limit_bytes, uint64_t epoch) override;
    void beginReport() override { m_writesEntities = true; }
    std::string stateText() override
    {
        if (isParents()) return "CUDA cannot be recorded in a forked child process";
        const std::lock_guard lock(m_stateMutex);
        return m_text;
    }
    std::string stateName() override
    {
        if (isParents()) return "forked";
        const std::lock_guard lock(m_stateMutex);
        return m_word;
    }
    uint32_t stateChanges() override { return m_changes.load(); }

    // Callbacks of CUPTI.
    void bufferRequested(uint8_t** bytes, size_t* size, size_t* maxRecords) noexcept;
    void bufferCompleted(uint8_t* bytes, size_t valid) noexcept;
    void called(CUpti_CallbackDomain domain, CUpti_CallbackId id, const CUpti_CallbackData* data) noexcept;
    void atExit() noexcept;

  private:
    // True in the child of a process that used CUDA. This memory is a copy, and its locks may be held by
    // threads that do not exist in this process.
    bool isParents() const noexcept { return m_recorder != nullptr && Recorder::current() != m_recorder; }
    void setState(const char* word, const std::string& text);
    bool subscribe(CuptiLibrary& library);
    void enableKinds(bool isOn) noexcept;
    void traceGraphs(bool isOn) noexcept;
    void writeLosses(BlockBuilder& block);

    std::mutex m_stateMutex;
    std::string m_word = "absent";
    std::string m_text = "this process has not used CUDA";
    std::atomic<uint32_t> m_changes{0};

    Recorder* m_recorder = nullptr;
    CuptiLibrary m_library;
    CUpti_SubscriberHandle m_subscriber = nullptr;
    CuptiRecords* m_records = nullptr; // used on the writer thread only
    bool m_writesEntities = false;     // used on the writer thread only
    int64_t m_nextPoll_ns = 0;         // used on the writer thread only

    std::mutex m_kindMutex;
    bool m_isRequested = false, m_isEnabled = false, m_hasLoggedGraphs = false;
    std::atomic<bool> m_isAttached{false};
    std::atomic<bool> m_isOver{false};
    std::mutex m_flushMutex; // two concurrent flushes can hang CUPTI

    std::mutex m_queueMutex;
    std::deque<FullBuffer> m_full;
    std::deque<uint8_t*> m_spare;
    std::atomic<uint64_t> m_epoch{0};
    std::atomic<int> m_outside{0}; // number of buffers held by CUPTI
    std::atomic<uint64_t> m_refused{0}, m_dropped{0};
};

CuptiActivity& self() noexcept
{
    static auto* const activity = new CuptiActivity;
    return *activity;
}

void CUPTIAPI requested(uint8_t** bytes, size_t* size, size_t* maxRecords)
{
    self().bufferRequested(bytes, size, maxRecords);
}

void CUPTIAPI completed(CUcontext, uint32_t, uint8_t* bytes, size_t, size_t valid)
{
    self().bufferCompleted(bytes, valid);
}

void CUPTIAPI called(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data)
{
    self().called(domain, id, static_cast<const CUpti_CallbackData*>(data));
}

uint64_t timestampForCupti()
{
    return static_cast<uint64_t>(now_ns());
}

constexpr CUpti_CallbackId kKernelGetName = 719; // CUPTI_DRIVER_TRACE_CBID_cuKernelGetName, since CUDA 12.3

// Kinds that continually produce records. They are enabled together with the gate.
constexpr CUpti_ActivityKind kGatedKinds[] = {
    CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
    CUPTI_ACTIVITY_KIND_MEMCPY2,           CUPTI_ACTIVITY_KIND_MEMSET,
    CUPTI_ACTIVITY_KIND_RUNTIME,           CUPTI_ACTIVITY_KIND_DRIVER,
    CUPTI_ACTIVITY_KIND_SYNCHRONIZATION,   CUPTI_ACTIVITY_KIND_OVERHEAD,
    CUPTI_ACTIVITY_KIND_MEMORY2,           CUPTI_ACTIVITY_KIND_CUDA_EVENT};
// Kinds with few records, to which later records refer. They are always enabled.
constexpr CUpti_ActivityKind kSteadyKinds[] = {CUPTI_ACTIVITY_KIND_DEVICE, CUPTI_ACTIVITY_KIND_CONTEXT,
                                               CUPTI_ACTIVITY_KIND_STREAM};

} // namespace

CudaActivity& cudaActivity() noexcept
{
    return self();
}

void CuptiActivity::setState(const char* word, const std::string& text)
{
    {
        const std::lock_guard lock(m_stateMutex);
        m_word = word;
        m_text = text;
    }
    m_changes.fetch_add(1);
}

// Returns false and sets the state if another tool uses CUPTI or if CUPTI reports an error.
bool CuptiActivity::subscribe(CuptiLibrary& library)
{
    CUptiResult result = CUPTI_SUCCESS;
    char holder[256] = {};
#ifdef CUpti_SubscriberParams_STRUCT_SIZE
    CUpti_SubscriberParams names = {};
    names.structSize = CUpti_SubscriberParams_STRUCT_SIZE;
    names.subscriberName = "Lockstep";
    names.oldSubscriberName = holder;
    names.oldSubscriberSize = sizeof holder;
    if (library.cuptiSubscribe_v2 != nullptr)
        result = library.cuptiSubscribe_v2(&m_subscriber, lockstep::capture::called, nullptr, &names);
    else
#endif
        result = library.cuptiSubscribe(&m_subscriber, lockstep::capture::called, nullptr);
    if (result == CUPTI_SUCCESS) return true;
    const char* error = nullptr;
    library.cuptiGetResultString(result, &error);
    const bool isInUse = result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    const std::string holderName = holder[0] != '\0' ? holder : "another tool (name unknown)";
    const std::string text =
        isInUse ? "CUPTI is in use by " + holderName + "; NVTX is recorded, CUDA is not"
                : "CUPTI reported an error: " + std::string(error != nullptr ? error : "unknown") + " (" +
                      std::to_string(result) + "), " + library.path;
    setState(isInUse ? "held" : "failed", text);
    logEvent(m_recorder->settings().log, isInUse ? "cupti_held" : "cupti_failed", text);
    return false;
}

void CuptiActivity::attach(Recorder& recorder)
{
    const std::lock_guard lock(m_kindMutex);
    if (m_recorder != nullptr) return;
    m_recorder = &recorder;
    if (!recorder.settings().recordsCuda) return setState("off", "disabled by LOCKSTEP_CAPTURE_CUDA");
    std::string tried;
    if (!m_library.load(recorder.settings().cupti, tried)) {
        setState("no_cupti", tried);
        logEvent(recorder.settings().log, "no_cupti", tried);
        return;
    }
    if (!subscribe(m_library)) return;
    if (m_library.cuptiActivityRegisterTimestampCallback == nullptr ||
        m_library.cuptiActivityRegisterTimestampCallback(timestampForCupti) != CUPTI_SUCCESS) {
        setState("failed", "this CUPTI (" + m_library.path +
                               ") does not accept a timestamp callback; CUDA is not recorded");
        return;
    }
    if (m_library.cuptiSetThreadIdType != nullptr)
        m_library.cuptiSetThreadIdType(1); // uses the thread IDs of the operating system
    m_library.cuptiActivityRegisterCallbacks(requested, completed);
    m_records = new CuptiRecords(m_library);
    for (const auto id : {CUPTI_DRIVER_TRACE_CBID_cuProfilerStart, CUPTI_DRIVER_TRACE_CBID_cuProfilerStop})
        m_library.cuptiEnableCallback(1, m_subscriber, CUPTI_CB_DOMAIN_DRIVER_API, id);
    m_library.cuptiEnableCallback(1, m_subscriber, CUPTI_CB_DOMAIN_RUNTIME_API,
                                  CUPTI_RUNTIME_TRACE_CBID_cudaDeviceReset_v3020);
    for (const CUpti_ActivityKind kind : kSteadyKinds)
        m_library.cuptiActivityEnable(kind);
    m_isAttached.store(true);
    std::atexit([] { self().atExit(); });
    setState("recording", "CUPTI " + std::to_string(m_library.version) + ", " + m_library.path);
    if (m_isRequested) enableKinds(true);
}

// Sets whether each launch of a graph is recorded as one row, which costs the program less than one row per
// node.
void CuptiActivity::traceGraphs(bool isOn) noexcept
{
    constexpr auto kKind = CUPTI_ACTIVITY_KIND_GRAPH_TRACE;
    const auto result = isOn ? m_library.cuptiActivityEnable(kKind) : m_library.cuptiActivityDisable(kKind);
    if (!isOn || result == CUPTI_SUCCESS || std::exchange(m_hasLoggedGraphs, true)) return;
    logEvent(m_recorder->settings().log, "no_graph_trace",
             "this CUPTI or GPU cannot trace CUDA graphs as a whole; their nodes are recorded one by one");
}

// The caller must hold m_kindMutex.
void CuptiActivity::enableKinds(bool isOn) noexcept
{
    if (m_isEnabled == isOn) return;
    m_isEnabled = isOn;
    if (m_recorder->settings().tracesWholeGraphs) traceGraphs(isOn);
    for (const CUpti_ActivityKind kind : kGatedKinds) {
        if (isOn)
            // A kind that a CUPTI version or GPU does not support is left out.
            m_library.cuptiActivityEnable(kind);
        else
            m_library.cuptiActivityDisable(kind);
    }
    // CUPTI itself queries the name of each GPU kernel, and such a query is not a call of the program.
    if (isOn && m_library.cuptiActivityEnableDriverApi != nullptr)
        m_library.cuptiActivityEnableDriverApi(kKernelGetName, 0);
}

void CuptiActivity::record() noexcept
{
    if (isParents()) return;
    const std::lock_guard lock(m_kindMutex);
    m_isRequested = true;
    if (m_isAttached.load() && !m_isOver.load()) enableKinds(true);
}

void CuptiActivity::drain(bool stops) noexcept
{
    if (isParents()) return;
    const CancellationOff uncancelled;
    const int64_t until_ns = now_ns() + kLongestDrain_ns;
    const auto pause = [] {
        const timespec time{0, 1'000'000};
        nanosleep(&time, nullptr);
    };
    // Called when the process ends, possibly in a handler that interrupted the owner of the lock, so it must
    // not wait forever.
    std::unique_lock lock(m_kindMutex, std::try_to_lock);
    while (!lock.owns_lock() && !lock.try_lock() && now_ns() < until_ns)
        pause();
    if (!lock.owns_lock()) return;
    if (stops) m_isRequested = false;
    if (!m_isAttached.load() || m_isOver.load() || !m_isEnabled) return;
    if (stops) enableKinds(false);
    std::unique_lock flush(m_flushMutex, std::try_to_lock);
    while (!flush.owns_lock() && !flush.try_lock() && now_ns() < until_ns)
        pause();
    if (!flush.owns_lock()) return;
    m_library.cuptiActivityFlushAll(0);
    // Buffers that CUPTI does not return contain records of work that is still running.
    while (m_outside.load() > 0 && now_ns() < until_ns) {
        pause();
        m_library.cuptiActivityFlushAll(0);
    }
    if (m_outside.load() > 0) m_library.cuptiActivityFlushAll(kForced);
}

void CuptiActivity::atExit() noexcept
{
    if (isParents()) return;
    drain(true);
    m_recorder->flush(kLongestDrain_ns); // CUPTI must not be called once its own shutdown has begun
    m_isOver.store(true);
}

void CuptiActivity::poll() noexcept
{
    if (!m_isAttached.load() || m_isOver.load() || isParents()) return;
    const int64_t now = now_ns();
    if (now < m_nextPoll_ns || !m_flushMutex.try_lock()) return;
    m_nextPoll_ns = now + kPoll_ns;
    m_library.cuptiActivityFlushAll(0);
    m_flushMutex.unlock();
}

void CuptiActivity::bufferRequested(uint8_t** bytes, size_t* size, size_t* maxRecords) noexcept
{
    *bytes = nullptr;
    *size = 0;
    *maxRecords = 0;
    {
        const std::lock_guard lock(m_queueMutex);
        if (!m_spare.empty()) {
            *bytes = m_spare.front();
            m_spare.pop_front();
        }
    }
    if (*bytes == nullptr && m_recorder->lanes().useMemory(kBuffer_bytes)) {
        void* memory = nullptr;
        if (posix_memalign(&memory, 4096, kBuffer_bytes) == 0)
            *bytes = static_cast<uint8_t*>(memory);
        else
            m_recorder->lanes().releaseBytes(kBuffer_bytes);
    }
    if (*bytes == nullptr) {
        m_refused.fetch_add(1);
        return;
    }
    *size = kBuffer_bytes;
    m_outside.fetch_add(1);
}

void CuptiActivity::bufferCompleted(uint8_t* bytes, size_t valid) noexcept
{
    size_t dropped = 0;
    m_library.cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped);
    m_dropped.fetch_add(dropped);
    try {
        const std::lock_guard lock(m_queueMutex);
        if (valid > 0)
            m_full.push_back({bytes, valid, m_epoch.load()});
        else
            m_spare.push_back(bytes);
    } catch (...) {
        m_refused.fetch_add(1); // no memory for the queue entry, so the buffer is lost and counted
    }
    m_outside.fetch_sub(1);
    m_recorder->writerQueue().wake();
}

void CuptiActivity::called(CUpti_CallbackDomain domain, CUpti_CallbackId id,
                           const CUpti_CallbackData* data) noexcept
{
    if (data == nullptr || isParents()) return;
    const bool isEnter = data->callbackSite == CUPTI_API_ENTER;
    if (domain == CUPTI_CB_DOMAIN_DRIVER_API && id == CUPTI_DRIVER_TRACE_CBID_cuProfilerStart && !isEnter)
        m_recorder->profilerStarted();
    else if (domain == CUPTI_CB_DOMAIN_DRIVER_API && id == CUPTI_DRIVER_TRACE_CBID_cuProfilerStop && isEnter)
        m_recorder->profilerStopped();
    else if (domain == CUPTI_CB_DOMAIN_RUNTIME_API && isEnter)
        drain(false); // before the device is reset
}

void CuptiActivity::writeLosses(BlockBuilder& block)
{
    for (const auto& [what, count] : {std::pair(LOCKSTEP_LOST_GPU_BY_CUPTI, m_dropped.exchange(0)),
                                      std::pair(LOCKSTEP_LOST_GPU_BUFFERS, m_refused.exchange(0))}) {
        if (count > 0)
            block.begin(LOCKSTEP_KIND_LOST).timestamp(now_ns()).number(what).number(count).number(0);
    }
}

bool CuptiActivity::encode(BlockBuilder& block, uint64_t limit_bytes, uint64_t epoch)
{
    if (m_records == nullptr || !m_isAttached.load() || m_isOver.load() || isParents()) return false;
    if (m_writesEntities) {
        m_writesEntities = false;
        m_records->writeEntities(block);
    }
    writeLosses(block);
    while (block.size_bytes() < limit_bytes) {
        FullBuffer full;
        {
            const std::lock_guard lock(m_queueMutex);
            if (m_full.empty() || m_full.front().epoch > epoch) return false;
            full = m_full.front();
            m_full.pop_front();
        }
        CUpti_Activity* record = nullptr;
        while (m_library.cuptiActivityGetNextRecord(full.bytes, full.valid_bytes, &record) == CUPTI_SUCCESS)
            m_records->encode(*record, block);
        const std::lock_guard lock(m_queueMutex);
        if (m_spare.size() < kSpareBuffers) {
            m_spare.push_back(full.bytes);
        } else {
            std::free(full.bytes);
            m_recorder->lanes().releaseBytes(kBuffer_bytes);
        }
    }
    return true;
}

} // namespace lockstep::capture
