// SPDX-License-Identifier: Apache-2.0
#include "core/trace/memory_snapshot_table.h"

#include <algorithm>

namespace lockstep {

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

} // namespace lockstep
