// SPDX-License-Identifier: Apache-2.0
#include "core/trace/memory_snapshot_table.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

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
         .detail = 5},
        {.name = "torch.profiler memory events",
         .remark = "from torch.profiler",
         .explanation =
             "Blocks are torch.profiler [memory] events, with their allocated size. The requested size "
             "is not recorded.",
         .stackRemark = "by operator: the ranges running on its thread",
         .counters = "Total ",
         .detail = 4},
        {.name = "nsys driver memory events",
         .remark = "allocated from the driver",
         .explanation =
             "Blocks are allocations from the CUDA driver. For PyTorch these are allocator segments, "
             "not tensors.",
         .stackRemark = "by call and its NVTX ranges",
         .counters = "Allocated memory, ",
         .detail = 1},
        {.name = "Ascend operator memory",
         .remark = "by operator",
         .explanation = "Blocks are lines of operator_memory.csv. Addresses are not recorded.",
         .stackRemark = "operator",
         .hasAddresses = false,
         .hasStreams = true,
         .coversWholeFile = true,
         .detail = 3},
        {.name = "a torch.profiler memory timeline",
         .remark = "by category",
         .explanation =
             "The file records the bytes of each category over time. Areas show these totals; their "
             "pieces are not individual allocations.",
         .stackRemark = "category",
         .hasBlocks = false,
         .hasAddresses = false,
         .coversWholeFile = true,
         .detail = 2},
        {.name = "Ascend component memory",
         .remark = "by component",
         .explanation =
             "The file records the bytes of each component over time. Areas show these totals; their "
             "pieces are not individual allocations.",
         .stackRemark = "component",
         .hasBlocks = false,
         .hasAddresses = false,
         .coversWholeFile = true,
         .detail = 2},
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

namespace {

template<class... Columns>
size_t bytesOf(const Columns&... columns)
{
    return ((columns.capacity() * sizeof(columns[0])) + ...);
}

} // namespace

size_t MemorySnapshot::residentBytes() const
{
    const MemorySegmentTable& s = segments;
    const MemoryEntryTable& e = entries;
    return bytesOf(s.device, s.address, s.total_bytes, s.allocated_bytes, s.active_bytes, s.requested_bytes,
                   s.stream, s.pool, s.type, s.isExpandable, s.stack, s.firstBlock, s.blockCount) +
           bytesOf(blocks.address, blocks.size_bytes, blocks.requested_bytes, blocks.state, blocks.stack) +
           bytesOf(e.device, e.action, e.address, e.size_bytes, e.stream, e.time_ns, e.stack, e.forwardStack,
                   e.userMetadata, e.compileContext, e.pool, e.recorded_bytes, e.reserved_bytes) +
           bytesOf(frames, stackBegin, stackFrames, devices) +
           bytesOf(subjects.recorder, subjects.kind, subjects.ordinal, subjects.process, subjects.before);
}

MemorySubject MemorySnapshot::subjectOf(int32_t device) const
{
    if (isOfAllocator()) {
        if (device == kHostMemory) return {MemoryRecorder::allocator, MemoryKind::pinned, -1, {}};
        return {MemoryRecorder::allocator, MemoryKind::device, device, {}};
    }
    const auto row = static_cast<size_t>(std::ranges::lower_bound(devices, device) - devices.begin());
    return {subjects.recorder[row], subjects.kind[row], subjects.ordinal[row], subjects.process[row]};
}

MemoryStackId MemorySnapshot::stackBeforeHistory(int32_t device) const
{
    if (isOfAllocator()) return {};
    return subjects.before[static_cast<size_t>(std::ranges::lower_bound(devices, device) - devices.begin())];
}

std::string MemorySnapshot::rowText(uint32_t row) const
{
    return (isOfAllocator() ? "device_traces row " : "memory event ") + std::to_string(row);
}

RecordedSizes recordedSizesOf(const MemorySnapshot& snapshot)
{
    constexpr uint64_t kAlignment_bytes = 512;
    const auto& entries = snapshot.entries;
    // last size in the history, by address, of blocks whose sizes differ in the dump
    std::map<uint64_t, uint64_t> lastSize;
    for (size_t block = 0; block < snapshot.blocks.size(); ++block) {
        const bool hasExactSize = snapshot.blocks.state[block] == BlockState::allocated &&
                                  snapshot.blocks.requested_bytes[block] != snapshot.blocks.size_bytes[block];
        if (hasExactSize) lastSize.emplace(snapshot.blocks.address[block], 0);
    }
    for (size_t row = 0; row < entries.size(); ++row) {
        if (entries.action[row] != MemoryAction::alloc) continue;
        if (entries.address[row] % kAlignment_bytes != 0) return RecordedSizes::allocated;
        const auto recorded = lastSize.find(entries.address[row]);
        if (recorded != lastSize.end()) recorded->second = entries.size_bytes[row];
    }
    size_t requested = 0, allocated = 0;
    for (size_t block = 0; block < snapshot.blocks.size(); ++block) {
        const auto recorded = lastSize.find(snapshot.blocks.address[block]);
        if (recorded == lastSize.end()) continue;
        requested += recorded->second == snapshot.blocks.requested_bytes[block] ? 1 : 0;
        allocated += recorded->second == snapshot.blocks.size_bytes[block] ? 1 : 0;
    }
    if (allocated > requested) return RecordedSizes::allocated;
    return requested > 0 ? RecordedSizes::requested : RecordedSizes::unknown;
}

} // namespace lockstep
