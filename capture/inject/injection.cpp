// SPDX-License-Identifier: Apache-2.0
// Exports of the shared library: the three entry points through which CUDA and NVTX load it, and the
// functions of capture/include/lockstep_capture.h for programs without NVTX. All of them may be called on any
// thread, repeatedly.
#include <cmath>
#include <cstdio>
#include <cstring>

#include "capture/format/spool_format.h"
#include "capture/include/lockstep_capture_abi.h"
#include "capture/inject/cuda_activity.h"
#include "capture/inject/early_exit.h"
#include "capture/inject/nvtx_hooks.h"
#include "capture/inject/nvtx_record.h"
#include "capture/inject/recorder.h"

#define LOCKSTEP_EXPORT extern "C" __attribute__((visibility("default")))

using namespace lockstep::capture;

namespace {

// Categories of domain "lockstep".
enum OwnCategory : uint32_t {
    kStepCategory = 1,
    kCounterCategory = 2,
    kCollectiveCategory = 3,
    kFirstRole = 16
};

// Payload types of NVTX.
constexpr int32_t kUnsigned = 1, kDouble = 3;

const Domain* ownDomain() noexcept
{
    return domainNamed("lockstep");
}

uint32_t roleCategory(const Domain* domain, std::string_view role) noexcept
{
    NameList& list = nameRegistry().categories;
    uint32_t last = kFirstRole - 1;
    for (auto* entry = list.newest(); entry != nullptr; entry = entry->next) {
        if (entry->owner != domain->number) continue;
        if (entry->view() == role) return static_cast<uint32_t>(entry->number);
        if (entry->number > last) last = static_cast<uint32_t>(entry->number);
    }
    list.add(role, last + 1, domain->number);
    return last + 1;
}

CallDetails inCategory(uint32_t category) noexcept
{
    CallDetails details;
    details.extension.category = category;
    details.isPlain = false;
    return details;
}

std::atomic<uint64_t> g_openStep{0};

// Runs after all exit() handlers and static destructors of the program, which may still record.
__attribute__((destructor)) void atEnd()
{
    if (Recorder* const recorder = Recorder::current()) recorder->finish();
}

} // namespace

LOCKSTEP_EXPORT int InitializeInjection(void)
{
    try {
        if (Recorder* const recorder = Recorder::start()) {
            cudaActivity().attach(*recorder);
            watchEarlyExits();
        }
    } catch (...) {
        return 1; // out of memory: the program continues without CUDA records
    }
    return 1;
}

// Returning 0 makes NVTX a no-op in that instance, so a process that is not recorded has no overhead.
LOCKSTEP_EXPORT int InitializeInjectionNvtx2(nvtx::ExportTable exportTable)
{
    if (Recorder::start() == nullptr) return 0;
    watchEarlyExits();
    return attachNvtx(exportTable);
}

LOCKSTEP_EXPORT int InitializeInjectionNvtxExtension(nvtx::ModuleInfo* module)
{
    return Recorder::start() != nullptr ? attachNvtxExtension(module) : 0;
}

LOCKSTEP_EXPORT int lockstep_capture_abi(void)
{
    return LOCKSTEP_CAPTURE_ABI;
}

LOCKSTEP_EXPORT int lockstep_is_recording(void)
{
    const Recorder* const recorder = Recorder::start();
    return recorder != nullptr && recorder->isRecording() ? 1 : 0;
}

LOCKSTEP_EXPORT uint64_t lockstep_range_start(const char* role, const char* stage)
{
    const Domain* const domain = Recorder::start() != nullptr ? ownDomain() : nullptr;
    if (domain == nullptr) return 0;
    const bool hasRole = role != nullptr && *role != '\0';
    const uint32_t category = hasRole ? roleCategory(domain, role) : 0;
    return recordStart(domain, CallText(stage), inCategory(category));
}

LOCKSTEP_EXPORT uint64_t lockstep_collective_start(const char* operation, const char* group,
                                                   uint32_t group_size, uint32_t rank, uint64_t sequence,
                                                   uint64_t size_bytes)
{
    const Domain* const domain = Recorder::start() != nullptr ? ownDomain() : nullptr;
    if (domain == nullptr) return 0;
    constexpr size_t kLongestGroup_bytes = 200;
    char bytes[sizeof(LockstepSpoolCollective) + kLongestGroup_bytes];
    const LockstepSpoolCollective collective{size_bytes, sequence, group_size, rank};
    const size_t nameSize = group != nullptr ? strnlen(group, kLongestGroup_bytes) : 0;
    std::memcpy(bytes, &collective, sizeof collective);
    if (nameSize > 0) std::memcpy(bytes + sizeof collective, group, nameSize);
    const nvtx::PayloadBytes payload{LOCKSTEP_SCHEMA_COLLECTIVE, sizeof collective + nameSize, bytes};
    CallDetails details = inCategory(kCollectiveCategory);
    details.extension.payloadType = kUnsigned;
    details.extension.payload = size_bytes;
    details.payloads = &payload;
    details.payloadCount = 1;
    return recordStart(domain, CallText(operation), details);
}

LOCKSTEP_EXPORT void lockstep_range_end(uint64_t id)
{
    if (id != 0 && Recorder::start() != nullptr) recordEnd(ownDomain(), id, {});
}

LOCKSTEP_EXPORT void lockstep_step(int64_t step)
{
    const Domain* const domain = Recorder::start() != nullptr ? ownDomain() : nullptr;
    if (domain == nullptr) return;
    if (const uint64_t open = g_openStep.exchange(0); open != 0) recordEnd(domain, open, {});
    if (step < 0) return;
    char name[32];
    std::snprintf(name, sizeof name, "step %lld", static_cast<long long>(step));
    g_openStep.store(recordStart(domain, CallText(name), inCategory(kStepCategory)));
}

LOCKSTEP_EXPORT void lockstep_counter(const char* name, double value, const char* unit)
{
    const Domain* const domain = Recorder::start() != nullptr ? ownDomain() : nullptr;
    if (domain == nullptr || name == nullptr) return;
    char text[512];
    const bool hasUnit = unit != nullptr && *unit != '\0';
    std::snprintf(text, sizeof text, hasUnit ? "%s [%s]" : "%s", name, unit);
    CallDetails details = inCategory(kCounterCategory);
    details.extension.payloadType = kDouble;
    std::memcpy(&details.extension.payload, &value, sizeof value);
    recordMark(domain, CallText(text), details);
}

LOCKSTEP_EXPORT void lockstep_profiler_start(void)
{
    if (Recorder* const recorder = Recorder::start()) recorder->profilerStarted();
}

LOCKSTEP_EXPORT void lockstep_profiler_stop(void)
{
    if (Recorder* const recorder = Recorder::start()) recorder->profilerStopped();
}

LOCKSTEP_EXPORT void lockstep_flush(int milliseconds)
{
    if (Recorder* const recorder = Recorder::start()) recorder->flush(int64_t(milliseconds) * 1'000'000);
}
