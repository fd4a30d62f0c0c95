// SPDX-License-Identifier: Apache-2.0
// MemorySnapshot: what a file says of memory, as columns: of a PyTorch allocator snapshot the segments and
// blocks at the moment of the dump, and the recorded history of allocations and frees, oldest first; of files
// of other recorders (memory_recording.h) a history alone. Made by the reader, for other recorders through
// MemoryHistory; held by its Report (texts are StringIds of that report), immutable and shared afterwards.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/ids.h"
#include "core/trace/memory_recording.h"

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
    // What its recorder states to be allocated and reserved after the entry, of its device; kNotStated where
    // a row does not say. Empty columns when no row does.
    std::vector<int64_t> stated_bytes;
    std::vector<int64_t> reserved_bytes;
};

inline constexpr int64_t kNotStated = -1;

// Of each of MemorySnapshot::devices whose memory it is. Empty: as an allocator snapshot numbers them.
struct MemorySubjectTable {
    std::vector<MemoryRecorder> recorder;
    std::vector<MemoryKind> kind;
    std::vector<int32_t> ordinal;
    std::vector<ProcessId> process;
    std::vector<MemoryStackId> before; // stands for what allocated before the history; invalid: nothing does
};

struct MemorySnapshot {
    MemorySegmentTable segments;
    MemoryBlockTable blocks;
    MemoryEntryTable entries;
    std::vector<MemoryFrame> frames;
    std::vector<uint32_t> stackBegin{0};    // stack i is stackFrames [stackBegin[i], stackBegin[i + 1])
    std::vector<MemoryFrameId> stackFrames; // innermost first, as the file orders them
    std::vector<int32_t> devices;           // device numbers that have a segment or an entry, ascending
    MemorySubjectTable subjects;            // as devices

    // Frames of a stack, innermost first; none for an invalid id.
    std::span<const MemoryFrameId> stack(MemoryStackId id) const
    {
        if (!id.isValid()) return {};
        return std::span(stackFrames)
            .subspan(stackBegin[id.value], stackBegin[id.value + 1] - stackBegin[id.value]);
    }
    size_t stackCount() const { return stackBegin.size() - 1; }
    // True of what PyTorch's allocator itself wrote down: with segments, and with what was asked for.
    bool isOfAllocator() const { return subjects.recorder.empty(); }
    // Whose memory the rows of a device number are. It must be one of devices.
    MemorySubject subjectOf(int32_t device) const;
    MemoryStackId stackBefore(int32_t device) const;
    const MemoryRecording& recording(int32_t device) const { return recordingOf(subjectOf(device).recorder); }
    // Where a note finds an entry.
    std::string rowText(uint32_t row) const;
    size_t residentBytes() const;
};

} // namespace lockstep
