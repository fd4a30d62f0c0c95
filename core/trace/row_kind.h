// SPDX-License-Identifier: Apache-2.0
// Classifies slices. RowKind is the table or JSON category of origin, used to select rows in analyses.
// SliceCategory is the legend category, which determines the color. Both are stored per slice as one byte.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/trace/memory_op.h"

namespace lockstep {

enum class RowKind : uint8_t {
    // GPU side
    kernel,          // CUPTI_ACTIVITY_KIND_KERNEL, Kineto cat "kernel"
    memcpy,          // CUPTI_ACTIVITY_KIND_MEMCPY, "gpu_memcpy"
    memset,          // CUPTI_ACTIVITY_KIND_MEMSET, "gpu_memset"
    graphLaunch,     // CUPTI_ACTIVITY_KIND_GRAPH_TRACE: one whole CUDA graph on the GPU
    synchronization, // CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, "cuda_sync"
    cudaEvent,       // CUPTI_ACTIVITY_KIND_CUDA_EVENT, "cuda_event"
    gpuAnnotation,   // "gpu_user_annotation"
    // CPU side
    runtimeApi,     // CUPTI_ACTIVITY_KIND_RUNTIME eventClass 0, "cuda_runtime"
    driverApi,      // CUPTI_ACTIVITY_KIND_RUNTIME eventClass 1, "cuda_driver"
    nvtxPushPop,    // NVTX_EVENTS eventType 59, 70
    nvtxStartEnd,   // NVTX_EVENTS eventType 60, 71
    nvtxMark,       // NVTX_EVENTS eventType 34, 65
    osRuntime,      // OSRT_API
    scheduling,     // SCHED_EVENTS: one slice per running interval
    op,             // "cpu_op"
    userAnnotation, // "user_annotation"
    python,         // "python_function"
    overhead,       // PROFILER_OVERHEAD, CUPTI_ACTIVITY_KIND_OVERHEAD, "overhead"
    memoryEvent,    // "cpu_instant_event" [memory]
    libraryApi,     // CUDNN_EVENTS, CUBLAS_EVENTS, MPI and UCX tables
    graphEvent,     // CUDA_GRAPH_EVENTS, CUDA_GRAPH_NODE_EVENTS
    diagnostic,     // DIAGNOSTIC_EVENT
    instant,        // other instants (Chrome "i", "I")
    span,           // other slices (Chrome "X", "B"/"E" of unknown category)
    async,          // Chrome "b"/"e"/"n"
    systemCall,     // SYSCALL: system calls, as opposed to the library calls of OSRT_API
    fileAccess,     // OSRT_FILE_ACCESS_EVENTS: file accesses of library calls
    sample,         // a whole sample or request, see SampleTables
    sampleSpan,     // a part of a sample: a generation, a tool call, a reward
    count
};

enum class SliceCategory : uint8_t {
    compute,
    communication,
    copyToDevice,
    copyToHost,
    copyOnDevice,
    memset,
    synchronization,
    cudaApi,
    op,
    python,
    nvtx,
    osRuntime,
    scheduling,
    overhead,
    graph,
    other,
    count
};

// Returns the name used in inventories and filters, e.g. "kernel", "nvtx_pushpop". The names are stable,
// because scripts read them.
std::string_view rowKindName(RowKind kind);
// Returns the name in the legend, e.g. "compute kernel".
std::string_view sliceCategoryName(SliceCategory category);

// Returns true for kernels, copies, memsets and whole graphs, i.e. for the work that makes a GPU busy.
constexpr bool isGpuWork(RowKind kind)
{
    return kind <= RowKind::graphLaunch;
}
constexpr bool isCudaApi(RowKind kind)
{
    return kind == RowKind::runtimeApi || kind == RowKind::driverApi;
}

// Returns communication if the name of the GPU kernel indicates NCCL, RCCL, HCCL, NVSHMEM, DeepEP, MSCCL++ or
// a custom all-reduce, otherwise compute. nsys recipes only test for names that start with "nccl"; the longer
// list covers inference engines.
SliceCategory kernelCategory(std::string_view kernelName);
// Returns the category of a CUPTI copy kind.
SliceCategory copyCategory(CopyKind kind);

} // namespace lockstep
