// SPDX-License-Identifier: Apache-2.0
#include "core/trace/memory_recording.h"

#include <array>

namespace lockstep {

const MemoryRecording& recordingOf(MemoryRecorder recorder)
{
    static constexpr std::array<MemoryRecording, static_cast<size_t>(MemoryRecorder::count)> kRecordings{{
        {.name = "allocator snapshot",
         .remark = "",
         .explanation = "",
         .stackRemark = "",
         .hasSegments = true,
         .hasRequested = true,
         .hasStreams = true,
         .coversWholeFile = true,
         .richness = 5},
        {.name = "torch.profiler memory events",
         .remark = "from torch.profiler",
         .explanation =
             "Blocks are torch.profiler [memory] events, with their allocated size. The requested size "
             "is not recorded.",
         .stackRemark = "by operator: the ranges running on its thread",
         .counters = "Total ",
         .richness = 4},
        {.name = "nsys driver memory events",
         .remark = "allocated from the driver",
         .explanation =
             "Blocks are allocations from the CUDA driver. For PyTorch these are allocator segments, "
             "not tensors.",
         .stackRemark = "by call and its NVTX ranges",
         .counters = "Allocated memory, ",
         .richness = 1},
        {.name = "Ascend operator memory",
         .remark = "by operator",
         .explanation = "Blocks are lines of operator_memory.csv. Addresses are not recorded.",
         .stackRemark = "operator",
         .hasAddresses = false,
         .hasStreams = true,
         .coversWholeFile = true,
         .richness = 3},
        {.name = "a torch.profiler memory timeline",
         .remark = "by category",
         .explanation =
             "The file records the bytes of each category over time. Areas show these totals; their "
             "pieces are not individual allocations.",
         .stackRemark = "category",
         .hasBlocks = false,
         .hasAddresses = false,
         .coversWholeFile = true,
         .richness = 2},
        {.name = "Ascend component memory",
         .remark = "by component",
         .explanation =
             "The file records the bytes of each component over time. Areas show these totals; their "
             "pieces are not individual allocations.",
         .stackRemark = "component",
         .hasBlocks = false,
         .hasAddresses = false,
         .coversWholeFile = true,
         .richness = 2},
    }};
    return kRecordings[static_cast<size_t>(recorder)];
}

bool isCounterRedundant(const MemoryRecording& recording, std::string_view counter)
{
    return recording.coversWholeFile ||
           (!recording.counters.empty() && counter.find(recording.counters) != std::string_view::npos);
}

std::string memorySubjectName(const MemorySubject& subject)
{
    const std::string gpu = "GPU " + std::to_string(subject.ordinal);
    const std::string ofGpu = subject.ordinal < 0 ? std::string() : " of " + gpu;
    switch (subject.kind) {
    case MemoryKind::device:
        return subject.ordinal < 0 ? "unnamed device" : gpu;
    case MemoryKind::pageable:
        return "CPU";
    case MemoryKind::pinned:
        return "pinned host memory";
    case MemoryKind::unknown:
        return "memory of unknown kind" + ofGpu;
    case MemoryKind::managed:
    case MemoryKind::managedStatic:
        return "managed memory" + ofGpu;
    case MemoryKind::array:
        return "array memory" + ofGpu;
    case MemoryKind::deviceStatic:
        return "static memory" + ofGpu;
    }
    return gpu;
}

} // namespace lockstep
