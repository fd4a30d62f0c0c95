// SPDX-License-Identifier: Apache-2.0
#include "core/trace/row_kind.h"

#include <array>

#include "core/base/text.h"

namespace lockstep {

std::string_view rowKindName(RowKind kind)
{
    static constexpr std::array<std::string_view, static_cast<size_t>(RowKind::count)> kNames{
        "kernel",         "memcpy",      "memset",      "graph_launch",    "synchronization", "cuda_event",
        "gpu_annotation", "runtime_api", "driver_api",  "nvtx_pushpop",    "nvtx_startend",   "nvtx_mark",
        "os_runtime",     "scheduling",  "op",          "user_annotation", "python",          "overhead",
        "memory_event",   "library_api", "graph_event", "diagnostic",      "instant",         "span",
        "async",          "system_call", "file_access", "sample",          "sample_span"};
    return kind < RowKind::count ? kNames[static_cast<size_t>(kind)] : "unknown";
}

std::string_view sliceCategoryName(SliceCategory category)
{
    static constexpr std::array<std::string_view, static_cast<size_t>(SliceCategory::count)> kNames{
        "compute kernel", "communication",   "copy to device", "copy to host",      "copy on device, peer",
        "memset",         "synchronization", "CUDA API",       "framework op",      "Python",
        "NVTX range",     "OS runtime",      "scheduling",     "profiler overhead", "CUDA graph",
        "other"};
    return category < SliceCategory::count ? kNames[static_cast<size_t>(category)] : "unknown";
}

SliceCategory kernelCategory(std::string_view kernelName)
{
    static constexpr std::array<std::string_view, 13> kWords{"nccl",
                                                             "rccl",
                                                             "hccl",
                                                             "hcom_",
                                                             "nvshmem",
                                                             "deep_ep",
                                                             "dpsk::ep::", // DeepEP 2

                                                             "mscclpp",
                                                             "cross_device_reduce",
                                                             "all_reduce_kernel",
                                                             "allreduce",
                                                             "all_gather_kernel",
                                                             "custom_ar"};
    const std::string name = lowerAscii(kernelName);
    for (const std::string_view word : kWords) {
        if (name.find(word) != std::string::npos) return SliceCategory::communication;
    }
    return SliceCategory::compute;
}

SliceCategory copyCategory(CopyKind kind)
{
    switch (kind) {
    case CopyKind::hostToDevice:
    case CopyKind::hostToArray:
    case CopyKind::unifiedHostToDevice:
        return SliceCategory::copyToDevice;
    case CopyKind::deviceToHost:
    case CopyKind::arrayToHost:
    case CopyKind::unifiedDeviceToHost:
        return SliceCategory::copyToHost;
    case CopyKind::memset:
        return SliceCategory::memset;
    default:
        return SliceCategory::copyOnDevice;
    }
}

std::string_view copyKindName(CopyKind kind)
{
    static constexpr std::array<std::string_view, 15> kNames{"[CUDA memcpy Unknown]",
                                                             "[CUDA memcpy Host-to-Device]",
                                                             "[CUDA memcpy Device-to-Host]",
                                                             "[CUDA memcpy Host-to-Array]",
                                                             "[CUDA memcpy Array-to-Host]",
                                                             "[CUDA memcpy Array-to-Array]",
                                                             "[CUDA memcpy Array-to-Device]",
                                                             "[CUDA memcpy Device-to-Array]",
                                                             "[CUDA memcpy Device-to-Device]",
                                                             "[CUDA memcpy Host-to-Host]",
                                                             "[CUDA memcpy Peer-to-Peer]",
                                                             "[CUDA memcpy Unified Host-to-Device]",
                                                             "[CUDA memcpy Unified Device-to-Host]",
                                                             "[CUDA memcpy Unified Device-to-Device]",
                                                             "[CUDA memset]"};
    const auto index = static_cast<size_t>(kind);
    return index < kNames.size() ? kNames[index] : kNames[0];
}

std::string_view memoryKindName(MemoryKind kind)
{
    static constexpr std::array<std::string_view, 8> kNames{
        "Pageable", "Pinned", "Device", "Array", "Managed", "Device Static", "Managed Static", "Unknown"};
    const auto index = static_cast<size_t>(kind);
    return index < kNames.size() ? kNames[index] : kNames[7];
}

} // namespace lockstep
