// SPDX-License-Identifier: Apache-2.0
// Lets a library that was built with a new glibc load on glibc 2.31. glibc 2.34 moved threads and dlopen into
// libc.so.6 under new symbol versions, and later releases added symbols that the compiler's libraries now
// require. The functions below replace those symbols, inside this library only, and call the oldest version
// of each. tests/capture/exports_test.cpp checks the remaining symbol versions.
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>

#include <cstdint>

#if defined(__x86_64__)
#define LOCKSTEP_OLDEST "GLIBC_2.2.5"
#elif defined(__aarch64__)
#define LOCKSTEP_OLDEST "GLIBC_2.17"
#endif

#if defined(LOCKSTEP_OLDEST) && !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)

// exports.map keeps these functions local.
#define LOCKSTEP_HIDDEN extern "C"
// pthread_setspecific() does not read the memory that its pointer refers to, but the compiler assumes that it
// does.
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#define LOCKSTEP_OLD(result, name, parameters)                                                               \
    extern "C" result lockstep_old_##name parameters;                                                        \
    __asm__(".symver lockstep_old_" #name "," #name "@" LOCKSTEP_OLDEST)

LOCKSTEP_OLD(int, pthread_create, (pthread_t*, const pthread_attr_t*, void* (*)(void*), void*));
LOCKSTEP_OLD(int, pthread_key_create, (pthread_key_t*, void (*)(void*)));
LOCKSTEP_OLD(int, pthread_setspecific, (pthread_key_t, const void*));
LOCKSTEP_OLD(void*, pthread_getspecific, (pthread_key_t));
LOCKSTEP_OLD(int, pthread_once, (pthread_once_t*, void (*)()));
LOCKSTEP_OLD(int, pthread_attr_setstacksize, (pthread_attr_t*, size_t));
LOCKSTEP_OLD(int, pthread_mutex_trylock, (pthread_mutex_t*));
LOCKSTEP_OLD(int, sigprocmask, (int, const sigset_t*, sigset_t*));
LOCKSTEP_OLD(void*, dlopen, (const char*, int));
// noexcept, so that the call below is a tail call: dlsym() identifies its caller by the return address.
LOCKSTEP_OLD(void*, dlsym, (void*, const char*) noexcept);
LOCKSTEP_OLD(int, dlclose, (void*));
LOCKSTEP_OLD(char*, dlerror, ());
LOCKSTEP_OLD(int, dladdr, (const void*, Dl_info*));

LOCKSTEP_HIDDEN int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                                   void* argument) noexcept
{
    return lockstep_old_pthread_create(thread, attributes, run, argument);
}
LOCKSTEP_HIDDEN int pthread_key_create(pthread_key_t* key, void (*end)(void*)) noexcept
{
    return lockstep_old_pthread_key_create(key, end);
}
LOCKSTEP_HIDDEN int __pthread_key_create(pthread_key_t* key, void (*end)(void*)) noexcept
{
    return lockstep_old_pthread_key_create(key, end);
}
LOCKSTEP_HIDDEN int pthread_setspecific(pthread_key_t key, const void* value) noexcept
{
    return lockstep_old_pthread_setspecific(key, value);
}
LOCKSTEP_HIDDEN void* pthread_getspecific(pthread_key_t key) noexcept
{
    return lockstep_old_pthread_getspecific(key);
}
LOCKSTEP_HIDDEN int pthread_once(pthread_once_t* once, void (*run)())
{
    return lockstep_old_pthread_once(once, run);
}
LOCKSTEP_HIDDEN int pthread_attr_setstacksize(pthread_attr_t* attributes, size_t size_bytes) noexcept
{
    return lockstep_old_pthread_attr_setstacksize(attributes, size_bytes);
}
LOCKSTEP_HIDDEN int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept
{
    return lockstep_old_pthread_mutex_trylock(mutex);
}
// On Linux both functions change the mask of the calling thread.
LOCKSTEP_HIDDEN int pthread_sigmask(int how, const sigset_t* set, sigset_t* before) noexcept
{
    return lockstep_old_sigprocmask(how, set, before);
}
LOCKSTEP_HIDDEN void* dlopen(const char* path, int flags) noexcept
{
    return lockstep_old_dlopen(path, flags);
}
LOCKSTEP_HIDDEN void* dlsym(void* library, const char* name) noexcept
{
    return lockstep_old_dlsym(library, name);
}
LOCKSTEP_HIDDEN int dlclose(void* library) noexcept
{
    return lockstep_old_dlclose(library);
}
LOCKSTEP_HIDDEN char* dlerror() noexcept
{
    return lockstep_old_dlerror();
}
LOCKSTEP_HIDDEN int dladdr(const void* address, Dl_info* info) noexcept
{
    return lockstep_old_dladdr(address, info);
}

// glibc 2.32; false is always safe.
LOCKSTEP_HIDDEN char __libc_single_threaded;
char __libc_single_threaded = 0;

#ifdef DLFO_EH_SEGMENT_TYPE
namespace {

struct ObjectSearch {
    uintptr_t address;
    dl_find_object* found;
    bool isFound = false;
};

int visitObject(dl_phdr_info* object, size_t, void* data)
{
    auto& search = *static_cast<ObjectSearch*>(data);
    const ElfW(Phdr)* unwind = nullptr;
    bool isInside = false;
    uintptr_t first = UINTPTR_MAX, last = 0;
    for (int i = 0; i < object->dlpi_phnum; ++i) {
        const ElfW(Phdr)& part = object->dlpi_phdr[i];
        const uintptr_t begin = object->dlpi_addr + part.p_vaddr, end = begin + part.p_memsz;
        if (part.p_type == PT_LOAD) {
            isInside |= search.address >= begin && search.address < end;
            first = begin < first ? begin : first;
            last = end > last ? end : last;
        } else if (part.p_type == DLFO_EH_SEGMENT_TYPE) {
            unwind = &part;
        }
    }
    if (!isInside) return 0;
    *search.found = {};
    search.found->dlfo_map_start = reinterpret_cast<void*>(first);
    search.found->dlfo_map_end = reinterpret_cast<void*>(last);
    if (unwind != nullptr)
        search.found->dlfo_eh_frame = reinterpret_cast<void*>(object->dlpi_addr + unwind->p_vaddr);
    search.isFound = unwind != nullptr;
    return 1;
}

} // namespace

// glibc 2.35: the unwinder of this library calls it to find the code that an exception passes through.
LOCKSTEP_HIDDEN int _dl_find_object(void* address, dl_find_object* result) noexcept
{
    ObjectSearch search{reinterpret_cast<uintptr_t>(address), result};
    dl_iterate_phdr(visitObject, &search);
    return search.isFound ? 0 : -1;
}
#endif

#endif
