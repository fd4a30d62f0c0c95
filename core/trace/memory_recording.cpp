// SPDX-License-Identifier: Apache-2.0
#include "core/trace/memory_recording.h"

#include <array>

namespace lockstep {

const MemoryRecording& recordingOf(MemoryRecorder recorder)
{
    static constexpr std::array<MemoryRecording, static_cast<size_t>(MemoryRecorder::count)> kRecordings{{
        {.name = "the allocator's snapshot",
         .remark = "",
         .explanation = "",
         .stackRemark = "",
         .hasSegments = true,
         .hasRequested = true,
         .hasStreams = true,
         .isWholeFile = true,
         .richness = 5},
        {.name = "torch.profiler's memory events",
         .remark = "by torch.profiler",
         .explanation =
             "Blocks are torch.profiler's [memory] events, as large as they were handed out. What was asked "
             "for is not recorded.",
         .stackRemark = "by the operator: what ran on its thread",
         .counters = "Total ",
         .richness = 4},
        {.name = "nsys' memory events of the driver",
         .remark = "allocated from the driver",
         .explanation =
             "Blocks are what the CUDA driver handed out. Of PyTorch these are the segments of its "
             "allocator, not its tensors.",
         .stackRemark = "by the call and its NVTX ranges",
         .counters = "Allocated memory, ",
         .richness = 1},
        {.name = "Ascend's memory of operators",
         .remark = "by operator",
         .explanation = "Blocks are the lines of operator_memory.csv. Addresses are not recorded.",
         .stackRemark = "its operator",
         .hasAddresses = false,
         .hasStreams = true,
         .isWholeFile = true,
         .richness = 3},
        {.name = "a memory timeline of torch.profiler",
         .remark = "by category",
         .explanation =
             "The file tells the bytes of each category over time. Areas are those totals; the pieces that "
             "they are made of are no allocations.",
         .stackRemark = "its category",
         .hasBlocks = false,
         .hasAddresses = false,
         .isWholeFile = true,
         .richness = 2},
        {.name = "Ascend's memory of components",
         .remark = "by component",
         .explanation =
             "The file tells the bytes of each component over time. Areas are those totals; the pieces that "
             "they are made of are no allocations.",
         .stackRemark = "its component",
         .hasBlocks = false,
         .hasAddresses = false,
         .isWholeFile = true,
         .richness = 2},
    }};
    return kRecordings[static_cast<size_t>(recorder)];
}

bool isSaidBy(const MemoryRecording& recording, std::string_view counter)
{
    return recording.isWholeFile ||
           (!recording.counters.empty() && counter.find(recording.counters) != std::string_view::npos);
}

std::string memorySubjectName(const MemorySubject& subject)
{
    const std::string gpu = "GPU " + std::to_string(subject.ordinal);
    switch (subject.kind) {
    case MemoryKind::device:
        return subject.ordinal < 0 ? "a device that is not named" : gpu;
    case MemoryKind::pageable:
        return "CPU";
    case MemoryKind::pinned:
        return "pinned memory of the host";
    case MemoryKind::unknown:
        return "memory of no stated kind" + (subject.ordinal < 0 ? std::string() : " of " + gpu);
    case MemoryKind::managed:
    case MemoryKind::managedStatic:
        return "managed memory" + (subject.ordinal < 0 ? std::string() : " of " + gpu);
    case MemoryKind::array:
        return "arrays of " + gpu;
    case MemoryKind::deviceStatic:
        return "static memory of " + gpu;
    }
    return gpu;
}

} // namespace lockstep
