// SPDX-License-Identifier: Apache-2.0
#include "capture/inject/object_calls.h"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace lockstep::capture {

namespace {

#if defined(__x86_64__)
constexpr unsigned kJumpSlot = R_X86_64_JUMP_SLOT, kGlobal = R_X86_64_GLOB_DAT;
#elif defined(__aarch64__)
constexpr unsigned kJumpSlot = R_AARCH64_JUMP_SLOT, kGlobal = R_AARCH64_GLOB_DAT;
#else
constexpr unsigned kJumpSlot = ~0u, kGlobal = ~0u;
#endif

// The tables of one object that contain the addresses that it calls.
class ObjectCalls {
  public:
    ObjectCalls(const dl_phdr_info& object, std::span<const CallDetour> detours)
        : m_base(object.dlpi_addr), m_page(static_cast<uintptr_t>(sysconf(_SC_PAGESIZE))), m_detours(detours)
    {
        for (int i = 0; i < object.dlpi_phnum; ++i) {
            const ElfW(Phdr)& part = object.dlpi_phdr[i];
            if (part.p_type == PT_DYNAMIC)
                m_dynamic = reinterpret_cast<const ElfW(Dyn)*>(m_base + part.p_vaddr);
            if (part.p_type != PT_GNU_RELRO) continue;
            // Rounded as in the loader: the rest of the last page remains writable.
            m_readOnlyBegin = (m_base + part.p_vaddr) / m_page * m_page;
            m_readOnlyEnd = (m_base + part.p_vaddr + part.p_memsz) / m_page * m_page;
        }
    }

    void lead() const
    {
        if (m_dynamic == nullptr) return;
        const auto* const symbols = at<ElfW(Sym)>(DT_SYMTAB);
        const auto* const names = at<char>(DT_STRTAB);
        if (symbols == nullptr || names == nullptr) return;
        patchTable(at<ElfW(Rela)>(DT_JMPREL), value(DT_PLTRELSZ), 0, symbols, names);
        // Relocations without a symbol come first. They are the majority in a large library.
        patchTable(at<ElfW(Rela)>(DT_RELA), value(DT_RELASZ), value(DT_RELACOUNT), symbols, names);
    }

  private:
    ElfW(Xword) value(ElfW(Sxword) tag) const
    {
        for (const ElfW(Dyn)* entry = m_dynamic; entry->d_tag != DT_NULL; ++entry) {
            if (entry->d_tag == tag) return entry->d_un.d_val;
        }
        return 0;
    }
    // glibc has converted these values to addresses. Values that it has not converted (those of the vDSO) are
    // less than the object's address.
    template<class T>
    const T* at(ElfW(Sxword) tag) const
    {
        const auto address = value(tag);
        return address > m_base ? reinterpret_cast<const T*>(address) : nullptr;
    }

    void patchTable(const ElfW(Rela) * table, size_t size_bytes, size_t first, const ElfW(Sym) * symbols,
                    const char* names) const
    {
        if (table == nullptr) return;
        for (size_t i = first; i < size_bytes / sizeof *table; ++i) {
            const auto type = ELF64_R_TYPE(table[i].r_info);
            if (type != kJumpSlot && type != kGlobal) continue;
            const char* const name = names + symbols[ELF64_R_SYM(table[i].r_info)].st_name;
            const auto detour = std::ranges::find_if(m_detours, [name](const CallDetour& each) {
                return *each.name == *name && std::strcmp(each.name, name) == 0;
            });
            if (detour != m_detours.end()) write(m_base + table[i].r_offset, detour->function);
        }
    }

    void write(uintptr_t slot, void* function) const
    {
        auto* const target = reinterpret_cast<void**>(slot);
        if (*target == function) return;
        void* const begin = reinterpret_cast<void*>(slot / m_page * m_page);
        const bool isReadOnly = slot >= m_readOnlyBegin && slot < m_readOnlyEnd;
        if (isReadOnly && mprotect(begin, m_page, PROT_READ | PROT_WRITE) != 0) return;
        __atomic_store_n(target, function, __ATOMIC_RELEASE);
        if (isReadOnly) mprotect(begin, m_page, PROT_READ);
    }

    uintptr_t m_base, m_page;
    std::span<const CallDetour> m_detours;
    const ElfW(Dyn) * m_dynamic = nullptr;
    uintptr_t m_readOnlyBegin = 0, m_readOnlyEnd = 0;
};

bool isOfTheSystem(const char* path)
{
    const char* const slash = std::strrchr(path, '/');
    const char* const name = slash != nullptr ? slash + 1 : path;
    for (const char* const system :
         {"libc.so", "libc-", "ld-linux", "libpthread", "linux-vdso", "liblockstep_capture"}) {
        if (std::strncmp(name, system, std::strlen(system)) == 0) return true;
    }
    return false;
}

// Objects that were patched before. If there are more than kMax, the others are patched again each time,
// which has no further effect.
struct SeenObjects {
    static constexpr size_t kMax = 4096;

    std::array<uintptr_t, kMax> bases = {};
    size_t count = 0;
    unsigned long long loads = 0, unloads = 0; // as counted by the loader

    bool isNew(uintptr_t base) const noexcept
    {
        return std::find(bases.begin(), bases.begin() + count, base) == bases.begin() + count;
    }
    void add(uintptr_t base) noexcept
    {
        if (count < kMax) bases[count++] = base;
    }
};

struct Walk {
    SeenObjects& seen;
    std::span<const CallDetour> detours;
    bool hasBegun = false;
};

int patchObject(dl_phdr_info* object, size_t, void* data)
{
    auto& walk = *static_cast<Walk*>(data);
    SeenObjects& seen = walk.seen;
    if (!walk.hasBegun) {
        walk.hasBegun = true;
        if (object->dlpi_adds == seen.loads && object->dlpi_subs == seen.unloads) return 1;
        if (object->dlpi_subs != seen.unloads)
            seen.count = 0; // the addresses may now belong to another object
        seen.loads = object->dlpi_adds;
        seen.unloads = object->dlpi_subs;
    }
    if (isOfTheSystem(object->dlpi_name) || !seen.isNew(object->dlpi_addr)) return 0;
    seen.add(object->dlpi_addr);
    ObjectCalls(*object, walk.detours).lead();
    return 0;
}

} // namespace

void patchCalls(std::span<const CallDetour> detours) noexcept
{
    static constinit std::atomic_flag isAtIt = ATOMIC_FLAG_INIT;
    static constinit SeenObjects seen;
    if (isAtIt.test_and_set(std::memory_order_acquire))
        return; // another thread, or a call that a signal handler on this thread interrupted
    Walk walk{seen, detours};
    dl_iterate_phdr(patchObject, &walk);
    isAtIt.clear(std::memory_order_release);
}

} // namespace lockstep::capture
