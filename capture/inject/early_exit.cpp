// SPDX-License-Identifier: Apache-2.0
#include "capture/inject/early_exit.h"

#include <link.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <mutex>
#include <vector>

#include "capture/inject/recorder.h"

extern char** environ;

namespace lockstep::capture {

namespace {

constexpr int64_t kLongestFlush_ns = 500'000'000;

#if defined(__x86_64__)
constexpr unsigned kJumpSlot = R_X86_64_JUMP_SLOT, kGlobal = R_X86_64_GLOB_DAT;
#elif defined(__aarch64__)
constexpr unsigned kJumpSlot = R_AARCH64_JUMP_SLOT, kGlobal = R_AARCH64_GLOB_DAT;
#else
constexpr unsigned kJumpSlot = ~0u, kGlobal = ~0u;
#endif

// The recorder when this very process made it: not in a child of vfork, which runs in its parent's memory.
Recorder* own() noexcept
{
    Recorder* const recorder = Recorder::current();
    return recorder != nullptr && recorder->pid() == getpid() ? recorder : nullptr;
}

void flushBeforeExec() noexcept
{
    if (Recorder* const recorder = own()) recorder->flush(kLongestFlush_ns);
}

[[noreturn]] void leave(int status) noexcept
{
    if (Recorder* const recorder = own()) recorder->finish();
    while (true)
        syscall(SYS_exit_group, status);
}

int replaceE(const char* path, char* const arguments[], char* const environment[]) noexcept
{
    flushBeforeExec();
    return execve(path, arguments, environment);
}
int replaceV(const char* path, char* const arguments[]) noexcept
{
    flushBeforeExec();
    return execv(path, arguments);
}
int replaceVp(const char* file, char* const arguments[]) noexcept
{
    flushBeforeExec();
    return execvp(file, arguments);
}
int replaceVpe(const char* file, char* const arguments[], char* const environment[]) noexcept
{
    flushBeforeExec();
    return execvpe(file, arguments, environment);
}
int replaceF(int file, char* const arguments[], char* const environment[]) noexcept
{
    flushBeforeExec();
    return fexecve(file, arguments, environment);
}

// The arguments of execl and its like, as execv wants them.
std::vector<char*> listed(const char* first, va_list& rest)
{
    std::vector<char*> arguments{const_cast<char*>(first)};
    while (arguments.back() != nullptr)
        arguments.push_back(va_arg(rest, char*));
    return arguments;
}
int replaceL(const char* path, const char* first, ...) noexcept
{
    va_list rest;
    va_start(rest, first);
    const std::vector<char*> arguments = listed(first, rest);
    va_end(rest);
    return replaceV(path, arguments.data());
}
int replaceLp(const char* file, const char* first, ...) noexcept
{
    va_list rest;
    va_start(rest, first);
    const std::vector<char*> arguments = listed(first, rest);
    va_end(rest);
    return replaceVp(file, arguments.data());
}

struct Detour {
    const char* name;
    void* function;
};
const Detour kDetours[] = {
    {"_exit", reinterpret_cast<void*>(leave)},      {"_Exit", reinterpret_cast<void*>(leave)},
    {"execve", reinterpret_cast<void*>(replaceE)},  {"execv", reinterpret_cast<void*>(replaceV)},
    {"execvp", reinterpret_cast<void*>(replaceVp)}, {"execvpe", reinterpret_cast<void*>(replaceVpe)},
    {"fexecve", reinterpret_cast<void*>(replaceF)}, {"execl", reinterpret_cast<void*>(replaceL)},
    {"execlp", reinterpret_cast<void*>(replaceLp)},
};

// One object's tables of what it calls.
class ObjectCalls {
  public:
    explicit ObjectCalls(const dl_phdr_info& object) : m_base(object.dlpi_addr)
    {
        for (int i = 0; i < object.dlpi_phnum; ++i) {
            const ElfW(Phdr)& part = object.dlpi_phdr[i];
            if (part.p_type == PT_DYNAMIC)
                m_dynamic = reinterpret_cast<const ElfW(Dyn)*>(m_base + part.p_vaddr);
            if (part.p_type != PT_GNU_RELRO) continue;
            m_readOnlyBegin = m_base + part.p_vaddr;
            m_readOnlyEnd = m_readOnlyBegin + part.p_memsz;
        }
    }

    void lead() const
    {
        if (m_dynamic == nullptr) return;
        const auto* const symbols = at<ElfW(Sym)>(DT_SYMTAB);
        const auto* const names = at<char>(DT_STRTAB);
        if (symbols == nullptr || names == nullptr) return;
        leadTable(at<ElfW(Rela)>(DT_JMPREL), value(DT_PLTRELSZ), symbols, names);
        leadTable(at<ElfW(Rela)>(DT_RELA), value(DT_RELASZ), symbols, names);
    }

  private:
    ElfW(Xword) value(ElfW(Sxword) tag) const
    {
        for (const ElfW(Dyn)* entry = m_dynamic; entry->d_tag != DT_NULL; ++entry) {
            if (entry->d_tag == tag) return entry->d_un.d_val;
        }
        return 0;
    }
    // glibc has made addresses of these; what it has not (the vDSO's) lies below the object.
    template<class T>
    const T* at(ElfW(Sxword) tag) const
    {
        const auto address = value(tag);
        return address > m_base ? reinterpret_cast<const T*>(address) : nullptr;
    }

    void leadTable(const ElfW(Rela) * table, size_t size_bytes, const ElfW(Sym) * symbols,
                   const char* names) const
    {
        if (table == nullptr) return;
        for (size_t i = 0; i < size_bytes / sizeof *table; ++i) {
            const auto type = ELF64_R_TYPE(table[i].r_info);
            if (type != kJumpSlot && type != kGlobal) continue;
            const char* const name = names + symbols[ELF64_R_SYM(table[i].r_info)].st_name;
            const auto detour =
                std::find_if(std::begin(kDetours), std::end(kDetours),
                             [name](const Detour& each) { return std::strcmp(each.name, name) == 0; });
            if (detour != std::end(kDetours)) write(m_base + table[i].r_offset, detour->function);
        }
    }

    void write(uintptr_t slot, void* function) const
    {
        const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
        void* const begin = reinterpret_cast<void*>(slot / page * page);
        const bool isReadOnly = slot >= m_readOnlyBegin && slot < m_readOnlyEnd;
        if (isReadOnly && mprotect(begin, page, PROT_READ | PROT_WRITE) != 0) return;
        __atomic_store_n(reinterpret_cast<void**>(slot), function, __ATOMIC_RELEASE);
        if (isReadOnly) mprotect(begin, page, PROT_READ);
    }

    uintptr_t m_base;
    const ElfW(Dyn) * m_dynamic = nullptr;
    uintptr_t m_readOnlyBegin = 0, m_readOnlyEnd = 0;
};

bool isSystems(const char* path)
{
    const char* const slash = std::strrchr(path, '/');
    const char* const name = slash != nullptr ? slash + 1 : path;
    for (const char* const system :
         {"libc.so", "libc-", "ld-linux", "libpthread", "linux-vdso", "liblockstep_capture"}) {
        if (std::strncmp(name, system, std::strlen(system)) == 0) return true;
    }
    return false;
}

int leadObject(dl_phdr_info* object, size_t, void* seen)
{
    auto& known = *static_cast<std::vector<uintptr_t>*>(seen);
    if (isSystems(object->dlpi_name) ||
        std::find(known.begin(), known.end(), object->dlpi_addr) != known.end())
        return 0;
    known.push_back(object->dlpi_addr);
    ObjectCalls(*object).lead();
    return 0;
}

} // namespace

void watchEarlyExits() noexcept
{
    static std::mutex mutex;
    static auto* const seen = new (std::nothrow) std::vector<uintptr_t>;
    const Recorder* const recorder = Recorder::current();
    if (seen == nullptr || recorder == nullptr || !recorder->settings().savesOnEarlyExit) return;
    try {
        // Held where another thread is at it, or was when this child was forked.
        const std::unique_lock lock(mutex, std::try_to_lock);
        if (lock.owns_lock()) dl_iterate_phdr(leadObject, seen);
    } catch (...) {
        return; // no memory: early exits lose what was not written yet, as without this
    }
}

} // namespace lockstep::capture
