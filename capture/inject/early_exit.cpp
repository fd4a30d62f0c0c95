// SPDX-License-Identifier: Apache-2.0
#include "capture/inject/early_exit.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>

#include <alloca.h>
#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/inject/call_state.h"
#include "capture/inject/recorder.h"

extern "C" [[noreturn]] void __assert_fail(const char* text, const char* file, unsigned line,
                                           const char* function) noexcept;

namespace lockstep::capture {

namespace {

// Redirects calls from the loaded objects of this process. To do so, it changes the addresses in the tables
// through which the objects call (GOT slots with relocation types JUMP_SLOT and GLOB_DAT). Calls inside libc
// and pointers from dlsym() are not affected.
struct CallDetour {
    const char* name;
    void* function;
};

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

    void patch() const
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

struct PatchState {
    SeenObjects& seen;
    std::span<const CallDetour> detours;
    bool hasBegun = false;
};

int patchObject(dl_phdr_info* object, size_t, void* data)
{
    auto& state = *static_cast<PatchState*>(data);
    SeenObjects& seen = state.seen;
    if (!state.hasBegun) {
        state.hasBegun = true;
        if (object->dlpi_adds == seen.loads && object->dlpi_subs == seen.unloads) return 1;
        if (object->dlpi_subs != seen.unloads)
            seen.count = 0; // the addresses may now belong to another object
        seen.loads = object->dlpi_adds;
        seen.unloads = object->dlpi_subs;
    }
    if (isOfTheSystem(object->dlpi_name) || !seen.isNew(object->dlpi_addr)) return 0;
    seen.add(object->dlpi_addr);
    ObjectCalls(*object, state.detours).patch();
    return 0;
}

// Patches all loaded objects that were not seen before. Takes some 100 ns if nothing was loaded since the
// last call. Any thread; allocates nothing. Takes the lock of dl_iterate_phdr(), which a thread of the parent
// may have held when a child was forked, so never call this function in a forked child.
void patchCalls(std::span<const CallDetour> detours) noexcept
{
    static constinit std::atomic_flag isAtIt = ATOMIC_FLAG_INIT;
    static constinit SeenObjects seen;
    if (isAtIt.test_and_set(std::memory_order_acquire))
        return; // another thread, or a call that a signal handler on this thread interrupted
    PatchState state{seen, detours};
    dl_iterate_phdr(patchObject, &state);
    isAtIt.clear(std::memory_order_release);
}

constexpr int64_t kLongestFlush_ns = 500'000'000;

// The process that began the watch.
std::atomic<pid_t> g_watcher{0};

// Returns the recorder if this process created it. Returns nullptr in a child of vfork, which runs in the
// memory of its parent.
Recorder* ownRecorder() noexcept
{
    Recorder* const recorder = Recorder::current();
    return recorder != nullptr && recorder->pid() == getpid() ? recorder : nullptr;
}

void flushBefore() noexcept
{
    if (Recorder* const recorder = ownRecorder()) recorder->flush(kLongestFlush_ns);
}

void noteExitStatus(int status, void*) noexcept
{
    if (Recorder* const recorder = ownRecorder()) recorder->noteExitStatus(status);
}

[[noreturn]] void exitAfterFlush(int status) noexcept
{
    noteExitStatus(status, nullptr);
    if (Recorder* const recorder = ownRecorder()) recorder->finish();
    _exit(status);
}

// Handler of quick_exit(). It runs after the handlers of the program, except those registered before this
// library was loaded.
void onQuickExit() noexcept
{
    if (Recorder* const recorder = ownRecorder()) recorder->finish();
}

[[noreturn]] void abortProcess() noexcept
{
    flushBefore();
    abort();
}
[[noreturn]] void failAssertion(const char* text, const char* file, unsigned line,
                                const char* function) noexcept
{
    flushBefore();
    __assert_fail(text, file, line, function);
}

int detourExecve(const char* path, char* const arguments[], char* const environment[]) noexcept
{
    flushBefore();
    return execve(path, arguments, environment);
}
int detourExecv(const char* path, char* const arguments[]) noexcept
{
    flushBefore();
    return execv(path, arguments);
}
int detourExecvp(const char* file, char* const arguments[]) noexcept
{
    flushBefore();
    return execvp(file, arguments);
}
int detourExecvpe(const char* file, char* const arguments[], char* const environment[]) noexcept
{
    flushBefore();
    return execvpe(file, arguments, environment);
}
int detourFexecve(int file, char* const arguments[], char* const environment[]) noexcept
{
    flushBefore();
    return fexecve(file, arguments, environment);
}
int detourExecveat(int folder, const char* path, char* const arguments[], char* const environment[],
                   int flags) noexcept
{
    flushBefore();
    return static_cast<int>(syscall(SYS_execveat, folder, path, arguments, environment, flags)); // glibc 2.34
}

// execl() and similar functions: convert their arguments to an array for execv(). The array is on the stack,
// because a child of vfork() or a signal handler may make the call. `count` includes the null pointer at the
// end.
size_t countListed(const char* first, va_list& rest) noexcept
{
    size_t count = 1;
    for (const char* argument = first; argument != nullptr; ++count)
        argument = va_arg(rest, const char*);
    return count;
}
void copyListed(char** to, const char* first, va_list& rest) noexcept
{
    *to = const_cast<char*>(first);
    while (*to != nullptr)
        *++to = va_arg(rest, char*);
}
int detourExecl(const char* path, const char* first, ...) noexcept
{
    va_list rest;
    va_start(rest, first);
    auto** const arguments = static_cast<char**>(alloca(countListed(first, rest) * sizeof(char*)));
    va_end(rest);
    va_start(rest, first);
    copyListed(arguments, first, rest);
    va_end(rest);
    return detourExecv(path, arguments);
}
int detourExeclp(const char* file, const char* first, ...) noexcept
{
    va_list rest;
    va_start(rest, first);
    auto** const arguments = static_cast<char**>(alloca(countListed(first, rest) * sizeof(char*)));
    va_end(rest);
    va_start(rest, first);
    copyListed(arguments, first, rest);
    va_end(rest);
    return detourExecvp(file, arguments);
}
int detourExecle(const char* path, const char* first, ...) noexcept
{
    va_list rest;
    va_start(rest, first);
    auto** const arguments = static_cast<char**>(alloca(countListed(first, rest) * sizeof(char*)));
    va_end(rest);
    va_start(rest, first);
    copyListed(arguments, first, rest);
    char* const* const environment = va_arg(rest, char* const*);
    va_end(rest);
    return detourExecve(path, arguments, environment);
}

// daemon() ends its caller inside libc, where calls are not redirected.
int becomeDaemon(int keepsFolder, int collectsOutput) noexcept
{
    flushBefore();
    return daemon(keepsFolder, collectsOutput);
}

#if __has_cpp_attribute(clang::musttail)
#define LOCKSTEP_TAIL_CALL [[clang::musttail]]
#else
#define LOCKSTEP_TAIL_CALL
#endif

// A program that loads a library usually looks up symbols in it next. dlsym() identifies its caller by the
// return address, so this must remain a tail call; captured_ends_test checks that. It is not noexcept,
// because clang would then refuse the tail call.
void* detourDlsym(void* library, const char* name)
{
    watchEarlyExits();
    LOCKSTEP_TAIL_CALL return dlsym(library, name);
}

const CallDetour kDetours[] = {
    {"_exit", reinterpret_cast<void*>(exitAfterFlush)},
    {"_Exit", reinterpret_cast<void*>(exitAfterFlush)},
    {"abort", reinterpret_cast<void*>(abortProcess)},
    {"__assert_fail", reinterpret_cast<void*>(failAssertion)},
    {"execve", reinterpret_cast<void*>(detourExecve)},
    {"execv", reinterpret_cast<void*>(detourExecv)},
    {"execvp", reinterpret_cast<void*>(detourExecvp)},
    {"execvpe", reinterpret_cast<void*>(detourExecvpe)},
    {"fexecve", reinterpret_cast<void*>(detourFexecve)},
    {"execveat", reinterpret_cast<void*>(detourExecveat)},
    {"execl", reinterpret_cast<void*>(detourExecl)},
    {"execlp", reinterpret_cast<void*>(detourExeclp)},
    {"execle", reinterpret_cast<void*>(detourExecle)},
    {"daemon", reinterpret_cast<void*>(becomeDaemon)},
    {"dlsym", reinterpret_cast<void*>(detourDlsym)},
};

} // namespace

void beginEarlyExitWatch() noexcept
{
    if (g_watcher.exchange(getpid()) != 0) return;
    at_quick_exit(onQuickExit);
    on_exit(noteExitStatus, nullptr); // the destructor that finishes the report does not receive the status
}

void watchEarlyExits() noexcept
{
    if (g_watcher.load(std::memory_order_relaxed) != getpid()) return;
    const ErrnoGuard errnoGuard;
    patchCalls(kDetours);
}

} // namespace lockstep::capture
