// SPDX-License-Identifier: Apache-2.0
// NVTX as called by the demo and the test programs. If LOCKSTEP_REAL_NVTX is set, NVIDIA's own headers are
// used. Otherwise a short version of the same load sequence is used (specified in nvtxInit.h: the variable
// NVTX_INJECTION64_PATH, dlopen, InitializeInjectionNvtx2), so that neither program needs the toolkit.
#pragma once

#include <cstdint>

#ifdef LOCKSTEP_REAL_NVTX
#include <nvtx3/nvToolsExt.h>
#else
#include <dlfcn.h>

#include <cstdlib>
#include <mutex>

#include "capture/inject/nvtx_abi.h"
#endif

namespace client {

#ifdef LOCKSTEP_REAL_NVTX

using Domain = nvtxDomainHandle_t;
using Text = nvtxStringHandle_t;

struct EventStyle {
    uint32_t category = 0;
    uint32_t color = 0; // ARGB; 0 = none
};

inline nvtxEventAttributes_t attributes(const char* text, Text registered, const EventStyle& style)
{
    nvtxEventAttributes_t made = {};
    made.version = NVTX_VERSION;
    made.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    made.category = style.category;
    made.colorType = style.color != 0 ? NVTX_COLOR_ARGB : NVTX_COLOR_UNKNOWN;
    made.color = style.color;
    made.messageType = registered != nullptr ? NVTX_MESSAGE_TYPE_REGISTERED : NVTX_MESSAGE_TYPE_ASCII;
    if (registered != nullptr)
        made.message.registered = registered;
    else
        made.message.ascii = text;
    return made;
}

inline int push(const char* text)
{
    return nvtxRangePushA(text);
}
inline int pushWide(const wchar_t* text)
{
    return nvtxRangePushW(text);
}
inline int pop()
{
    return nvtxRangePop();
}
inline uint64_t start(const char* text)
{
    return nvtxRangeStartA(text);
}
inline void end(uint64_t id)
{
    nvtxRangeEnd(id);
}
inline void mark(const char* text)
{
    nvtxMarkA(text);
}
inline Domain domain(const char* name)
{
    return nvtxDomainCreateA(name);
}
inline Text registered(Domain domain, const char* text)
{
    return nvtxDomainRegisterStringA(domain, text);
}
inline int push(Domain domain, const char* text, Text registered = nullptr, const EventStyle& style = {})
{
    const nvtxEventAttributes_t made = attributes(text, registered, style);
    return nvtxDomainRangePushEx(domain, &made);
}
inline int pop(Domain domain)
{
    return nvtxDomainRangePop(domain);
}
inline uint64_t start(Domain domain, const char* text)
{
    const nvtxEventAttributes_t made = attributes(text, nullptr, {});
    return nvtxDomainRangeStartEx(domain, &made);
}
inline void end(Domain domain, uint64_t id)
{
    nvtxDomainRangeEnd(domain, id);
}
inline void nameCategory(Domain domain, uint32_t category, const char* name)
{
    nvtxDomainNameCategoryA(domain, category, name);
}
inline void nameThread(uint32_t thread, const char* name)
{
    nvtxNameOsThreadA(thread, name);
}

#else

namespace nvtx = lockstep::capture::nvtx;
using Domain = const void*;
using Text = const void*;

struct EventStyle {
    uint32_t category = 0;
    uint32_t color = 0; // ARGB; 0 = none
};

inline nvtx::AnyFunction g_core[16], g_core2[16];
inline nvtx::AnyFunction* g_coreSlots[16];
inline nvtx::AnyFunction* g_core2Slots[16];

inline int tableOf(uint32_t module, nvtx::AnyFunction*** table, unsigned* size)
{
    if (module != nvtx::kCore && module != nvtx::kCore2) return 0;
    for (int i = 1; i < 16; ++i) {
        g_coreSlots[i] = &g_core[i];
        g_core2Slots[i] = &g_core2[i];
    }
    *table = module == nvtx::kCore ? g_coreSlots : g_core2Slots;
    *size = 16;
    return 1;
}

inline const void* exportTable(uint32_t id)
{
    static const nvtx::CallbacksTable callbacks{sizeof(nvtx::CallbacksTable), tableOf};
    return id == nvtx::kCallbacksTable ? &callbacks : nullptr;
}

inline void initialize()
{
    static std::once_flag once;
    std::call_once(once, [] {
        const char* const path = std::getenv("NVTX_INJECTION64_PATH");
        void* const library = path != nullptr ? dlopen(path, RTLD_LAZY) : nullptr;
        if (library == nullptr) return;
        auto* const attach =
            reinterpret_cast<int (*)(nvtx::ExportTable)>(dlsym(library, "InitializeInjectionNvtx2"));
        if (attach == nullptr || attach(exportTable) == 0) dlclose(library);
    });
}

template<class Result, class... Arguments>
Result call(nvtx::AnyFunction (&table)[16], uint32_t id, Arguments... arguments)
{
    initialize();
    if (table[id] == nullptr) return Result();
    return reinterpret_cast<Result (*)(Arguments...)>(table[id])(arguments...);
}

inline nvtx::EventAttributes attributes(const char* text, Text registered, const EventStyle& style)
{
    nvtx::EventAttributes made = {};
    made.version = 3;
    made.size = sizeof made;
    made.category = style.category;
    made.colorType = style.color != 0 ? 1 : 0;
    made.color = style.color;
    made.messageType = registered != nullptr ? nvtx::kRegistered : nvtx::kAscii;
    if (registered != nullptr)
        made.message.registered = registered;
    else
        made.message.ascii = text;
    return made;
}

inline int push(const char* text)
{
    return call<int>(g_core, nvtx::kRangePushA, text);
}
inline int pushWide(const wchar_t* text)
{
    return call<int>(g_core, nvtx::kRangePushW, text);
}
inline int pop()
{
    return call<int>(g_core, nvtx::kRangePop);
}
inline uint64_t start(const char* text)
{
    return call<uint64_t>(g_core, nvtx::kRangeStartA, text);
}
inline void end(uint64_t id)
{
    call<void>(g_core, nvtx::kRangeEnd, id);
}
inline void mark(const char* text)
{
    call<void>(g_core, nvtx::kMarkA, text);
}
inline Domain domain(const char* name)
{
    return call<Domain>(g_core2, nvtx::kDomainCreateA, name);
}
inline Text registered(Domain domain, const char* text)
{
    return call<Text>(g_core2, nvtx::kDomainRegisterStringA, domain, text);
}
inline int push(Domain domain, const char* text, Text registered = nullptr, const EventStyle& style = {})
{
    const nvtx::EventAttributes made = attributes(text, registered, style);
    return call<int>(g_core2, nvtx::kDomainRangePushEx, domain, &made);
}
inline int pop(Domain domain)
{
    return call<int>(g_core2, nvtx::kDomainRangePop, domain);
}
inline uint64_t start(Domain domain, const char* text)
{
    const nvtx::EventAttributes made = attributes(text, nullptr, {});
    return call<uint64_t>(g_core2, nvtx::kDomainRangeStartEx, domain, &made);
}
inline void end(Domain domain, uint64_t id)
{
    call<void>(g_core2, nvtx::kDomainRangeEnd, domain, id);
}
inline void nameCategory(Domain domain, uint32_t category, const char* name)
{
    call<void>(g_core2, nvtx::kDomainNameCategoryA, domain, category, name);
}
inline void nameThread(uint32_t thread, const char* name)
{
    call<void>(g_core, nvtx::kNameOsThreadA, thread, name);
}

#endif

} // namespace client
