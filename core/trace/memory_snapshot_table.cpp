// SPDX-License-Identifier: Apache-2.0
#include "core/trace/memory_snapshot_table.h"

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
                   e.userMetadata, e.compileContext, e.pool) +
           bytesOf(frames, stackBegin, stackFrames, devices);
}

} // namespace lockstep
