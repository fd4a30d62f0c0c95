// SPDX-License-Identifier: Apache-2.0
// MemorySnapshot: what a PyTorch allocator snapshot says, as columns: the segments and blocks at the moment
// of the dump, and the recorded history of allocator actions, oldest first. Made by the memory snapshot
// reader, held by its Report (texts are StringIds of that report), immutable and shared afterwards.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/ids.h"

namespace lockstep {

using MemoryFrameId = Id<struct MemoryFrameTag>;
using MemoryStackId = Id<struct MemoryStackTag>; // invalid: the file gives no stack

// One function of a stack. Equal frames are one row.
struct MemoryFrame {
    StringId function;
    StringId file;
    int32_t line = 0;
    StringId graphNode; // torch.fx node "op name target" where the file has one; else empty

    friend auto operator<=>(const MemoryFrame&, const MemoryFrame&) = default;
};

// The device number of pinned host memory (keys host_segments and host_traces).
inline constexpr int32_t kHostMemory = -1;

// Allocator actions by the file's own words, in the order of torch's TraceEntry.
enum class MemoryAction : uint8_t {
    alloc,         // a block was handed out; size as requested
    freeRequested, // the tensor was freed by its owner
    freeCompleted, // the block may be used again, after its streams passed
    segmentAlloc,  // cudaMalloc
    segmentFree,   // cudaFree
    segmentMap,    // pages added to an expandable segment
    segmentUnmap,
    snapshot,    // a snapshot was taken here
    outOfMemory, // an allocation failed; `address` holds the driver's free bytes (key device_free)
    annotate,    // user_metadata set for a live address
    other,       // a word this table does not know; kept, and noted
    count
};

enum class BlockState : uint8_t { allocated, pendingFree, inactive, other, count };

// One cudaMalloc'ed or mapped range.
struct MemorySegmentTable {
    size_t size() const { return address.size(); }

    std::vector<int32_t> device;
    std::vector<uint64_t> address;
    std::vector<uint64_t> total_bytes;
    std::vector<uint64_t> allocated_bytes; // Σ size of allocated blocks, as the file states it
    std::vector<uint64_t> active_bytes;    // allocated and pending free
    std::vector<uint64_t> requested_bytes;
    std::vector<uint64_t> stream;              // cudaStream_t as a number, 0 = default stream
    std::vector<std::array<uint64_t, 2>> pool; // {0, 0} = the default pool
    std::vector<StringId> type;                // "small", "large"
    std::vector<uint8_t> isExpandable;
    std::vector<MemoryStackId> stack;
    std::vector<uint32_t> firstBlock; // its blocks are rows [firstBlock, firstBlock + blockCount)
    std::vector<uint32_t> blockCount;
};

// A piece of a segment, in address order within it.
struct MemoryBlockTable {
    size_t size() const { return address.size(); }

    std::vector<uint64_t> address; // summed up from the segment's where the file (before 2023) gives none
    std::vector<uint64_t> size_bytes;
    std::vector<uint64_t> requested_bytes;
    std::vector<BlockState> state;
    std::vector<MemoryStackId> stack;
};

// The recorded history. Rows of one device are together, oldest first.
struct MemoryEntryTable {
    size_t size() const { return address.size(); }

    std::vector<int32_t> device;
    std::vector<MemoryAction> action;
    std::vector<uint64_t> address;
    std::vector<uint64_t> size_bytes;
    std::vector<uint64_t> stream;
    std::vector<int64_t>
        time_ns; // report clock; empty column when the file has no time_us (NPU, older builds)
    std::vector<MemoryStackId> stack;
    std::vector<MemoryStackId> forwardStack; // autograd forward stack; empty column when no row has one
    std::vector<StringId> userMetadata;      // user_metadata; empty column when no row has one
    std::vector<StringId> compileContext; // torch.compile frame, e.g. "0/0"; empty column when no row has one
    std::vector<std::array<uint64_t, 2>> pool; // empty column when no row has one
};

struct MemorySnapshot {
    MemorySegmentTable segments;
    MemoryBlockTable blocks;
    MemoryEntryTable entries;
    std::vector<MemoryFrame> frames;
    std::vector<uint32_t> stackBegin{0};    // stack i is stackFrames [stackBegin[i], stackBegin[i + 1])
    std::vector<MemoryFrameId> stackFrames; // innermost first, as the file orders them
    std::vector<int32_t> devices;           // device numbers that have a segment or an entry, ascending

    // Frames of a stack, innermost first; none for an invalid id.
    std::span<const MemoryFrameId> stack(MemoryStackId id) const
    {
        if (!id.isValid()) return {};
        return std::span(stackFrames)
            .subspan(stackBegin[id.value], stackBegin[id.value + 1] - stackBegin[id.value]);
    }
    size_t stackCount() const { return stackBegin.size() - 1; }
    size_t residentBytes() const;
};

} // namespace lockstep
