// SPDX-License-Identifier: Apache-2.0
/* Annotations for a training program and its profiler: steps, stages, counters, collectives. Header only, C
 * and C++. If the NVTX headers are found (nvtx3/nvToolsExt.h), all annotations are NVTX in domain "lockstep",
 * so nsys records them as well. Without these headers they go to liblockstep_capture.so if it is loaded into
 * the process, else nowhere. Without a profiler each call costs one load and one comparison. Any thread;
 * steps belong to the process.
 *
 *   lockstep_capture_step(12);
 *   lockstep_capture_range range = lockstep_capture_annotate("actor", "update_policy");
 *   lockstep_capture_counter("loss", 0.25, "nats");
 *   lockstep_capture_end(range);
 *   range = lockstep_capture_collective("AllReduce", "world", 8, 3, sequence++, bytes);
 *   // ... take part in the operation
 *   lockstep_capture_end(range);
 *
 * Needs _GNU_SOURCE in C (RTLD_DEFAULT), and -ldl before glibc 2.34. Define
 * LOCKSTEP_CAPTURE_NO_NVTX to disable NVTX. */
#ifndef LOCKSTEP_CAPTURE_H
#define LOCKSTEP_CAPTURE_H

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#if !defined(LOCKSTEP_CAPTURE_NO_NVTX) && defined(__has_include)
#if __has_include(<nvtx3/nvToolsExt.h>)
#define LOCKSTEP_CAPTURE_OVER_NVTX 1
#endif
#endif

typedef uint64_t lockstep_capture_range;

/* Returns a function of liblockstep_capture.so by name, or NULL if this library is not the recorder. */
static inline void* lockstep_capture_function(const char* name)
{
    const char* const path = getenv("NVTX_INJECTION64_PATH");
    void* library = RTLD_DEFAULT;
    /* The library is not loaded yet if nothing else calls NVTX or CUDA; then load it here. */
    if (dlsym(RTLD_DEFAULT, "lockstep_capture_abi") == NULL && path != NULL)
        library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    return library != NULL || path == NULL ? dlsym(library, name) : NULL;
}

#ifdef LOCKSTEP_CAPTURE_OVER_NVTX

#include <nvtx3/nvToolsExt.h>
#include <string.h>

/* Categories of the domain; see FORMAT.md. */
enum {
    LOCKSTEP_CAPTURE_STEP = 1,
    LOCKSTEP_CAPTURE_COUNTER = 2,
    LOCKSTEP_CAPTURE_COLLECTIVE = 3,
    LOCKSTEP_CAPTURE_FIRST_ROLE = 16
};

static inline nvtxDomainHandle_t lockstep_capture_domain(void)
{
    static nvtxDomainHandle_t domain;
    if (domain == NULL) domain = nvtxDomainCreateA("lockstep"); /* returns the same handle on every call */
    return domain;
}

static inline nvtxEventAttributes_t lockstep_capture_attributes(const char* text, uint32_t category)
{
    nvtxEventAttributes_t attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.category = category;
    attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
    attributes.message.ascii = text;
    return attributes;
}

/* A role is a category. Its number is a hash of its name, so that all parts of a program agree on it. */
static inline uint32_t lockstep_capture_role(const char* role)
{
    uint32_t hash = 2166136261u;
    for (const char* at = role; *at != '\0'; ++at)
        hash = (hash ^ (unsigned char)*at) * 16777619u;
    return LOCKSTEP_CAPTURE_FIRST_ROLE + hash % 1000000u;
}

static inline lockstep_capture_range lockstep_capture_annotate(const char* role, const char* stage)
{
    const nvtxDomainHandle_t domain = lockstep_capture_domain();
    uint32_t category = 0;
    nvtxEventAttributes_t attributes;
    if (role != NULL && *role != '\0') {
        category = lockstep_capture_role(role);
        nvtxDomainNameCategoryA(domain, category, role);
    }
    attributes = lockstep_capture_attributes(stage, category);
    return nvtxDomainRangeStartEx(domain, &attributes);
}

static inline void lockstep_capture_end(lockstep_capture_range range)
{
    nvtxDomainRangeEnd(lockstep_capture_domain(), range);
}

/* In C++ the step is shared by the whole program, in C by each file that calls this function. */
static inline void lockstep_capture_step(int64_t step)
{
    static lockstep_capture_range open;
    char name[32];
    nvtxEventAttributes_t attributes;
    if (open != 0) lockstep_capture_end(open);
    open = 0;
    if (step < 0) return;
    snprintf(name, sizeof name, "step %lld", (long long)step);
    attributes = lockstep_capture_attributes(name, LOCKSTEP_CAPTURE_STEP);
    open = nvtxDomainRangeStartEx(lockstep_capture_domain(), &attributes);
}

static inline void lockstep_capture_counter(const char* name, double value, const char* unit)
{
    char text[256];
    nvtxEventAttributes_t attributes;
    const int has_unit = unit != NULL && *unit != '\0';
    snprintf(text, sizeof text, has_unit ? "%s [%s]" : "%s%s", name, has_unit ? unit : "");
    attributes = lockstep_capture_attributes(text, LOCKSTEP_CAPTURE_COUNTER);
    attributes.payloadType = NVTX_PAYLOAD_TYPE_DOUBLE;
    attributes.payload.dValue = value;
    nvtxDomainMarkEx(lockstep_capture_domain(), &attributes);
}

#else

/* Functions of the loaded library, looked up once; NULL if no library is loaded. */
typedef struct lockstep_capture_functions {
    int is_looked_up;
    uint64_t (*start)(const char*, const char*);
    void (*end)(uint64_t);
    void (*step)(int64_t);
    void (*counter)(const char*, double, const char*);
} lockstep_capture_functions;

static inline const lockstep_capture_functions* lockstep_capture_loaded(void)
{
    static lockstep_capture_functions functions;
    if (!functions.is_looked_up) {
        *(void**)&functions.start = lockstep_capture_function("lockstep_range_start");
        *(void**)&functions.end = lockstep_capture_function("lockstep_range_end");
        *(void**)&functions.step = lockstep_capture_function("lockstep_step");
        *(void**)&functions.counter = lockstep_capture_function("lockstep_counter");
        functions.is_looked_up = 1;
    }
    return &functions;
}

static inline lockstep_capture_range lockstep_capture_annotate(const char* role, const char* stage)
{
    const lockstep_capture_functions* const loaded = lockstep_capture_loaded();
    return loaded->start != NULL ? loaded->start(role, stage) : 0;
}

static inline void lockstep_capture_end(lockstep_capture_range range)
{
    const lockstep_capture_functions* const loaded = lockstep_capture_loaded();
    if (loaded->end != NULL) loaded->end(range);
}

static inline void lockstep_capture_step(int64_t step)
{
    const lockstep_capture_functions* const loaded = lockstep_capture_loaded();
    if (loaded->step != NULL) loaded->step(step);
}

static inline void lockstep_capture_counter(const char* name, double value, const char* unit)
{
    const lockstep_capture_functions* const loaded = lockstep_capture_loaded();
    if (loaded->counter != NULL) loaded->counter(name, value, unit);
}

#endif

/* Begins a collective that the caller waits for, until lockstep_capture_end(). For the arguments see
 * lockstep_collective_start() in lockstep_capture_abi.h. Other profilers show a range of that name and size.
 */
static inline lockstep_capture_range lockstep_capture_collective(const char* operation, const char* group,
                                                                 uint32_t group_size, uint32_t rank,
                                                                 uint64_t sequence, uint64_t size_bytes)
{
    static int is_looked_up;
    static uint64_t (*start)(const char*, const char*, uint32_t, uint32_t, uint64_t, uint64_t);
    if (!is_looked_up) {
        *(void**)&start = lockstep_capture_function("lockstep_collective_start");
        is_looked_up = 1;
    }
    if (start != NULL) return start(operation, group, group_size, rank, sequence, size_bytes);
#ifdef LOCKSTEP_CAPTURE_OVER_NVTX
    {
        nvtxEventAttributes_t attributes =
            lockstep_capture_attributes(operation, LOCKSTEP_CAPTURE_COLLECTIVE);
        attributes.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
        attributes.payload.ullValue = size_bytes;
        return nvtxDomainRangeStartEx(lockstep_capture_domain(), &attributes);
    }
#else
    return 0;
#endif
}

#ifdef __cplusplus
/* LockstepStage annotates a stage for its lifetime. */
class LockstepStage {
  public:
    LockstepStage(const char* role, const char* stage) : m_range(lockstep_capture_annotate(role, stage)) {}
    ~LockstepStage() { lockstep_capture_end(m_range); }
    LockstepStage(const LockstepStage&) = delete;
    LockstepStage& operator=(const LockstepStage&) = delete;

  private:
    lockstep_capture_range m_range;
};
#endif

#endif
