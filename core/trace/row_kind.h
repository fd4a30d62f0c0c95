// SPDX-License-Identifier: Apache-2.0
// What a slice is (RowKind: which table or JSON category it came from; analyses select by it) and how it is
// drawn (SliceCategory: the hue of ui.md). Both are stored per slice as one byte.
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
    graphLaunch,     // CUPTI_ACTIVITY_KIND_GRAPH_TRACE: one whole graph on the GPU
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
    systemCall,     // SYSCALL: what the kernel was asked, beside OSRT_API's library calls
    fileAccess,     // OSRT_FILE_ACCESS_EVENTS: what a library call did to a file
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

// The word used in inventories and filters, e.g. "kernel", "nvtx_pushpop". Stable: scripts read it.
std::string_view rowKindName(RowKind kind);
// The legend's word, e.g. "compute kernel".
std::string_view sliceCategoryName(SliceCategory category);

// True for kernels, copies, memsets and whole graphs: what makes a GPU busy.
constexpr bool isGpuWork(RowKind kind)
{
    return kind <= RowKind::graphLaunch;
}
constexpr bool isCudaApi(RowKind kind)
{
    return kind == RowKind::runtimeApi || kind == RowKind::driverApi;
}

// communication when the kernel's name says NCCL, RCCL, HCCL, NVSHMEM, DeepEP, MSCCL++ or a custom all-reduce
// (spec: name starts with "nccl" in nsys recipes; the longer list covers inference engines); else compute.
SliceCategory kernelCategory(std::string_view kernelName);
// By CUPTI copy kind.
SliceCategory copyCategory(CopyKind kind);

} // namespace lockstep
