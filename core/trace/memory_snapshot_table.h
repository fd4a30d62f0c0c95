// SPDX-License-Identifier: Apache-2.0
// MemorySnapshot: the memory data of a file as columns. For a PyTorch allocator snapshot: the segments and
// blocks at the time of the dump, and the recorded history of allocations and frees, oldest first. For other
// recorders (memory_recording.h), it contains only a history. Created by the reader (through MemoryHistory
// for other recorders) and owned by its Report (strings are StringIds of that report); immutable and shared
// afterwards.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/ids.h"
#include "core/trace/memory_recording.h"

namespace lockstep {

using MemoryFrameId = Id<struct MemoryFrameTag>;
using MemoryStackId = Id<struct MemoryStackTag>; // invalid if no stack was recorded

// One function of a stack. Equal frames share one row.
struct MemoryFrame {
    StringId function;
    StringId file;
    int32_t line = 0;
    StringId graphNode; // torch.fx node "op name target" if recorded; otherwise empty

    friend auto operator<=>(const MemoryFrame&, const MemoryFrame&) = default;
};

// Device number of pinned host memory (keys host_segments and host_traces).
inline constexpr int32_t kHostMemory = -1;

// Allocator actions by their names in the file, in the order of torch's TraceEntry.
enum class MemoryAction : uint8_t {
    alloc,         // a block was allocated; the size is the requested size
    freeRequested, // the owner freed the tensor
    freeCompleted, // the block became reusable, after the streams that use it had passed this point
    segmentAlloc,  // cudaMalloc
    segmentFree,   // cudaFree
    segmentMap,    // pages added to an expandable segment
    segmentUnmap,
    snapshot, // a snapshot was taken here
    // an allocation failed; `address` contains the amount of free memory on the device (key device_free)
    outOfMemory,
    annotate, // user_metadata set for a live address
    other,    // unknown action; kept and reported in a note
    count
};

enum class BlockState : uint8_t { allocated, pendingFree, inactive, other, count };

// One range from cudaMalloc or from a mapping.
struct MemorySegmentTable {
    size_t size() const { return address.size(); }

    std::vector<int32_t> device;
    std::vector<uint64_t> address;
    std::vector<uint64_t> total_bytes;
    std::vector<uint64_t> allocated_bytes; // sum of the sizes of allocated blocks, as recorded
    std::vector<uint64_t> active_bytes;    // bytes that are allocated or pending free
    std::vector<uint64_t> requested_bytes;
    std::vector<uint64_t> stream;              // cudaStream_t as a number, 0 = default stream
    std::vector<std::array<uint64_t, 2>> pool; // {0, 0} = the default pool
    std::vector<StringId> type;                // "small", "large"
    std::vector<uint8_t> isExpandable;
    std::vector<MemoryStackId> stack;
    // the blocks of the segment are rows [firstBlock, firstBlock + blockCount)
    std::vector<uint32_t> firstBlock;
    std::vector<uint32_t> blockCount;
};

// A block of a segment, in address order within the segment.
struct MemoryBlockTable {
    size_t size() const { return address.size(); }

    // computed from the segment address if the file does not record it (before 2023)
    std::vector<uint64_t> address;
    std::vector<uint64_t> size_bytes;
    std::vector<uint64_t> requested_bytes;
    std::vector<BlockState> state;
    std::vector<MemoryStackId> stack;
};

// The recorded history. The rows of each device are contiguous, oldest first.
struct MemoryEntryTable {
    size_t size() const { return address.size(); }

    std::vector<int32_t> device;
    std::vector<MemoryAction> action;
    std::vector<uint64_t> address;
    std::vector<uint64_t> size_bytes;
    std::vector<uint64_t> stream;
    // report clock; the column is empty if the file has no time_us (NPU, older builds)
    std::vector<int64_t> time_ns;
    std::vector<MemoryStackId> stack;
    // autograd forward stack; the column is empty if no row has one
    std::vector<MemoryStackId> forwardStack;
    std::vector<StringId> userMetadata; // user_metadata; the column is empty if no row has any
    // torch.compile frame, e.g. "0/0"; the column is empty if no row has one
    std::vector<StringId> compileContext;
    std::vector<std::array<uint64_t, 2>> pool; // the column is empty if no row has a pool
    // Total allocated and reserved bytes of the device after the entry, as recorded; kNotRecorded for rows
    // that have no total. The columns are empty if no row has totals.
    std::vector<int64_t> recorded_bytes;
    std::vector<int64_t> reserved_bytes;
};

inline constexpr int64_t kNotRecorded = -1;

// The subject of each entry in MemorySnapshot::devices. Empty if device numbers are those of an allocator
// snapshot.
struct MemorySubjectTable {
    std::vector<MemoryRecorder> recorder;
    std::vector<MemoryKind> kind;
    std::vector<int32_t> ordinal;
    std::vector<ProcessId> process;
    // placeholder stack for allocations from before the history; invalid if there is none
    std::vector<MemoryStackId> before;
};

struct MemorySnapshot {
    MemorySegmentTable segments;
    MemoryBlockTable blocks;
    MemoryEntryTable entries;
    std::vector<MemoryFrame> frames;
    std::vector<uint32_t> stackBegin{0};    // stack i is stackFrames [stackBegin[i], stackBegin[i + 1])
    std::vector<MemoryFrameId> stackFrames; // innermost first, as in the file
    // device numbers that have a segment or an entry, in ascending order
    std::vector<int32_t> devices;
    MemorySubjectTable subjects; // same order as devices

    // Returns the frames of a stack, innermost first; no frames for an invalid ID.
    std::span<const MemoryFrameId> stack(MemoryStackId id) const
    {
        if (!id.isValid()) return {};
        return std::span(stackFrames)
            .subspan(stackBegin[id.value], stackBegin[id.value + 1] - stackBegin[id.value]);
    }
    size_t stackCount() const { return stackBegin.size() - 1; }
    // Returns true for data written by PyTorch's allocator, which includes segments and requested sizes.
    bool isOfAllocator() const { return subjects.recorder.empty(); }
    // Returns the subject of a device number, which must be in `devices`.
    MemorySubject subjectOf(int32_t device) const;
    MemoryStackId stackBeforeHistory(int32_t device) const;
    const MemoryRecording& recording(int32_t device) const { return recordingOf(subjectOf(device).recorder); }
    // Returns the location of an entry, for notes.
    std::string rowText(uint32_t row) const;
    size_t residentBytes() const;
};

} // namespace lockstep
