// SPDX-License-Identifier: Apache-2.0
#include "capture/inject/nvtx_hooks.h"

#include <cstring>
#include <string>

#include "capture/inject/json_text.h"
#include "capture/inject/nvtx_record.h"
#include "capture/inject/recorder.h"

namespace lockstep::capture {

namespace {

using nvtx::EventAttributes;
using nvtx::Message;

// Copies attributes, which may be absent or shorter than the struct declared here.
struct SafeAttributes {
    EventAttributes read = {};

    explicit SafeAttributes(const EventAttributes* given) noexcept
    {
        if (given != nullptr && given->size >= 8)
            std::memcpy(&read, given, std::min<size_t>(given->size, sizeof read));
    }
    CallText text() const noexcept { return CallText(read.messageType, read.message); }
};

const Domain* asDomain(const void* handle) noexcept
{
    return static_cast<const Domain*>(handle);
}

// The functions of the modules. Each has the signature that NVTX specifies.
int pushEx(const EventAttributes* given) noexcept
{
    const SafeAttributes safe(given);
    return recordPush(nullptr, safe.text(), CallDetails(safe.read));
}
int pushA(const char* text) noexcept
{
    return recordPush(nullptr, CallText(text), {});
}
int pushW(const wchar_t* text) noexcept
{
    return recordPush(nullptr, CallText(text), {});
}
int pop() noexcept
{
    return recordPop(nullptr, {});
}
uint64_t startEx(const EventAttributes* given) noexcept
{
    const SafeAttributes safe(given);
    return recordStart(nullptr, safe.text(), CallDetails(safe.read));
}
uint64_t startA(const char* text) noexcept
{
    return recordStart(nullptr, CallText(text), {});
}
uint64_t startW(const wchar_t* text) noexcept
{
    return recordStart(nullptr, CallText(text), {});
}
void end(uint64_t id) noexcept
{
    recordEnd(nullptr, id, {});
}
void markEx(const EventAttributes* given) noexcept
{
    const SafeAttributes safe(given);
    recordMark(nullptr, safe.text(), CallDetails(safe.read));
}
void markA(const char* text) noexcept
{
    recordMark(nullptr, CallText(text), {});
}
void markW(const wchar_t* text) noexcept
{
    recordMark(nullptr, CallText(text), {});
}

void nameCategory(const void* domain, uint32_t category, const CallText& name) noexcept
{
    const uint64_t owner = domain != nullptr ? asDomain(domain)->number : 0;
    nameRegistry().categories.addChanged(name.view(), category, owner);
}
void nameCategoryA(uint32_t category, const char* name) noexcept
{
    nameCategory(nullptr, category, CallText(name));
}
void nameCategoryW(uint32_t category, const wchar_t* name) noexcept
{
    nameCategory(nullptr, category, CallText(name));
}
void nameThreadA(uint32_t thread, const char* name) noexcept
{
    nameRegistry().threads.addChanged(CallText(name).view(), thread);
}
void nameThreadW(uint32_t thread, const wchar_t* name) noexcept
{
    nameRegistry().threads.addChanged(CallText(name).view(), thread);
}

int domainPushEx(const void* domain, const EventAttributes* given) noexcept
{
    const SafeAttributes safe(given);
    return recordPush(asDomain(domain), safe.text(), CallDetails(safe.read));
}
int domainPop(const void* domain) noexcept
{
    return recordPop(asDomain(domain), {});
}
uint64_t domainStartEx(const void* domain, const EventAttributes* given) noexcept
{
    const SafeAttributes safe(given);
    return recordStart(asDomain(domain), safe.text(), CallDetails(safe.read));
}
void domainEnd(const void* domain, uint64_t id) noexcept
{
    recordEnd(asDomain(domain), id, {});
}
void domainMarkEx(const void* domain, const EventAttributes* given) noexcept
{
    const SafeAttributes safe(given);
    recordMark(asDomain(domain), safe.text(), CallDetails(safe.read));
}
const void* resourceCreate(const void* domain, const nvtx::ResourceAttributes* given) noexcept
{
    if (given == nullptr || given->size < sizeof *given) return nullptr;
    const CallText text(given->messageType, given->message);
    constexpr int32_t kNativeThread = 0x10003; // NVTX_RESOURCE_TYPE_GENERIC_THREAD_NATIVE
    if (given->identifierType == kNativeThread)
        return nameRegistry().threads.addChanged(text.view(), given->identifier);
    const uint64_t owner = domain != nullptr ? asDomain(domain)->number : 0;
    return nameRegistry().resources.addChanged(text.view(), given->identifier, owner,
                                               static_cast<uint32_t>(given->identifierType));
}
void resourceDestroy(const void*) noexcept {}
void domainNameCategoryA(const void* domain, uint32_t category, const char* name) noexcept
{
    nameCategory(domain, category, CallText(name));
}
void domainNameCategoryW(const void* domain, uint32_t category, const wchar_t* name) noexcept
{
    nameCategory(domain, category, CallText(name));
}
const void* registerText(const CallText& text) noexcept
{
    return nameRegistry().texts.add(text.view());
}
const void* registerStringA(const void*, const char* text) noexcept
{
    return registerText(CallText(text));
}
const void* registerStringW(const void*, const wchar_t* text) noexcept
{
    return registerText(CallText(text));
}
const void* domainCreateA(const char* name) noexcept
{
    return domainNamed(CallText(name).view());
}
const void* domainCreateW(const wchar_t* name) noexcept
{
    return domainNamed(CallText(name).view());
}
void domainDestroy(const void*) noexcept {}
void initialize(const void*) noexcept {}

// Names of streams refer to the address that the program uses for the stream.
enum OwnResource : uint32_t { kCuDevice = 1, kCuStream = 2, kCudaDevice = 3, kCudaStream = 4 };

template<OwnResource kType, class Key>
void nameResource(Key key, const char* name) noexcept
{
    nameRegistry().resources.addChanged(CallText(name).view(), uint64_t(key), 0, kType);
}

uint64_t registerSchema(const void* domain, const nvtx::SchemaAttributes* schema) noexcept
{
    static std::atomic<uint64_t> last{nvtx::kFirstDynamicSchema};
    if (schema == nullptr) return 0;
    const auto has = [&](int bit) { return (schema->fieldMask >> bit & 1) != 0; };
    const uint64_t id = has(8) && schema->schema != 0 ? schema->schema : last.fetch_add(1) + 1;
    try {
        std::string entries = "[";
        for (size_t i = 0; has(4) && i < (has(5) ? schema->entryCount : 0); ++i) {
            const nvtx::SchemaEntry& entry = schema->entries[i];
            JsonText json;
            json.text("name", entry.name != nullptr ? entry.name : "");
            json.number("type", static_cast<int64_t>(entry.type))
                .number("flags", static_cast<int64_t>(entry.flags));
            json.number("detail", static_cast<int64_t>(entry.arrayOrUnionDetail));
            json.number("offset", static_cast<int64_t>(entry.offset));
            entries += (i > 0 ? "," : "") + json.done();
        }
        JsonText json;
        json.text("name", has(1) && schema->name != nullptr ? schema->name : "");
        json.number("type", has(2) ? static_cast<int64_t>(schema->type) : 1);
        json.number("size", has(6) ? static_cast<int64_t>(schema->payloadStaticSize) : 0);
        std::string text = json.done();
        text.insert(text.size() - 1, ",\"entries\":" + entries + "]");
        nameRegistry().schemas.add(text, id, domain != nullptr ? asDomain(domain)->number : 0);
    } catch (...) {
        return id; // out of memory for the description, so its payloads remain bytes
    }
    return id;
}
void markPayload(const void* domain, const nvtx::PayloadBytes* payloads, size_t count) noexcept
{
    recordMark(asDomain(domain), CallText(), CallDetails(payloads, count));
}
int pushPayload(const void* domain, const nvtx::PayloadBytes* payloads, size_t count) noexcept
{
    return recordPush(asDomain(domain), CallText(), CallDetails(payloads, count));
}
int popPayload(const void* domain, const nvtx::PayloadBytes* payloads, size_t count) noexcept
{
    return recordPop(asDomain(domain), CallDetails(payloads, count));
}
uint64_t startPayload(const void* domain, const nvtx::PayloadBytes* payloads, size_t count) noexcept
{
    return recordStart(asDomain(domain), CallText(), CallDetails(payloads, count));
}
void endPayload(const void* domain, uint64_t id, const nvtx::PayloadBytes* payloads, size_t count) noexcept
{
    recordEnd(asDomain(domain), id, CallDetails(payloads, count));
}
uint8_t isDomainEnabled(const void*) noexcept
{
    const Recorder* const recorder = Recorder::current();
    return recorder != nullptr && recorder->isRecording() ? 1 : 0;
}

// The function table of one module while it is being filled.
class FunctionTable {
  public:
    FunctionTable(const nvtx::CallbacksTable& callbacks, nvtx::Module module) noexcept
    {
        if (callbacks.moduleFunctionTable(module, &m_table, &m_size) == 0) m_table = nullptr;
    }
    bool isThere() const noexcept { return m_table != nullptr; }
    template<class Function>
    void set(uint32_t call, Function* function) noexcept
    {
        if (m_table == nullptr || call >= m_size || m_table[call] == nullptr) return;
        *m_table[call] = reinterpret_cast<nvtx::AnyFunction>(function);
    }

  private:
    nvtx::AnyFunction** m_table = nullptr;
    unsigned m_size = 0;
};

bool attachCore(const nvtx::CallbacksTable& callbacks) noexcept
{
    FunctionTable core(callbacks, nvtx::kCore);
    core.set(nvtx::kMarkEx, markEx);
    core.set(nvtx::kMarkA, markA);
    core.set(nvtx::kMarkW, markW);
    core.set(nvtx::kRangeStartEx, startEx);
    core.set(nvtx::kRangeStartA, startA);
    core.set(nvtx::kRangeStartW, startW);
    core.set(nvtx::kRangeEnd, end);
    core.set(nvtx::kRangePushEx, pushEx);
    core.set(nvtx::kRangePushA, pushA);
    core.set(nvtx::kRangePushW, pushW);
    core.set(nvtx::kRangePop, pop);
    core.set(nvtx::kNameCategoryA, nameCategoryA);
    core.set(nvtx::kNameCategoryW, nameCategoryW);
    core.set(nvtx::kNameOsThreadA, nameThreadA);
    core.set(nvtx::kNameOsThreadW, nameThreadW);
    return core.isThere();
}

bool attachDomains(const nvtx::CallbacksTable& callbacks) noexcept
{
    FunctionTable core2(callbacks, nvtx::kCore2);
    core2.set(nvtx::kDomainMarkEx, domainMarkEx);
    core2.set(nvtx::kDomainRangeStartEx, domainStartEx);
    core2.set(nvtx::kDomainRangeEnd, domainEnd);
    core2.set(nvtx::kDomainRangePushEx, domainPushEx);
    core2.set(nvtx::kDomainRangePop, domainPop);
    core2.set(nvtx::kDomainResourceCreate, resourceCreate);
    core2.set(nvtx::kDomainResourceDestroy, resourceDestroy);
    core2.set(nvtx::kDomainNameCategoryA, domainNameCategoryA);
    core2.set(nvtx::kDomainNameCategoryW, domainNameCategoryW);
    core2.set(nvtx::kDomainRegisterStringA, registerStringA);
    core2.set(nvtx::kDomainRegisterStringW, registerStringW);
    core2.set(nvtx::kDomainCreateA, domainCreateA);
    core2.set(nvtx::kDomainCreateW, domainCreateW);
    core2.set(nvtx::kDomainDestroy, domainDestroy);
    core2.set(nvtx::kInitialize, initialize);
    FunctionTable cuda(callbacks, nvtx::kCuda);
    cuda.set(nvtx::kNameCuDeviceA, nameResource<kCuDevice, int>);
    cuda.set(nvtx::kNameCuStreamA, nameResource<kCuStream, uintptr_t>);
    FunctionTable runtime(callbacks, nvtx::kCudaRuntime);
    runtime.set(nvtx::kNameCudaDeviceA, nameResource<kCudaDevice, int>);
    runtime.set(nvtx::kNameCudaStreamA, nameResource<kCudaStream, uintptr_t>);
    return core2.isThere();
}

} // namespace

int attachNvtx(nvtx::ExportTable exportTable) noexcept
{
    if (exportTable == nullptr) return 0;
    const auto* const callbacks =
        static_cast<const nvtx::CallbacksTable*>(exportTable(nvtx::kCallbacksTable));
    if (callbacks == nullptr || callbacks->structSize < sizeof *callbacks) return 0;
    const auto* const version = static_cast<const nvtx::VersionTable*>(exportTable(nvtx::kVersionTable));
    if (version != nullptr && version->structSize >= sizeof *version) version->setInjectionVersion(3);
    const bool hasCore = attachCore(*callbacks);
    return attachDomains(*callbacks) || hasCore ? 1 : 0;
}

int attachNvtxExtension(nvtx::ModuleInfo* module) noexcept
{
    if (module == nullptr || module->moduleId != nvtx::kPayloadModule || module->segmentCount == 0) return 0;
    const nvtx::ModuleSegment& segment = module->segments[0];
    const auto set = [&](uint32_t call, auto* function) {
        if (call < segment.slotCount) segment.functionSlots[call] = reinterpret_cast<intptr_t>(function);
    };
    set(nvtx::kPayloadSchemaRegister, registerSchema);
    set(nvtx::kMarkPayload, markPayload);
    set(nvtx::kRangePushPayload, pushPayload);
    set(nvtx::kRangePopPayload, popPayload);
    set(nvtx::kRangeStartPayload, startPayload);
    set(nvtx::kRangeEndPayload, endPayload);
    set(nvtx::kDomainIsEnabled, isDomainEnabled);
    return 1;
}

} // namespace lockstep::capture
