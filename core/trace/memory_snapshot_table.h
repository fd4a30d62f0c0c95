// SPDX-License-Identifier: Apache-2.0
// MemorySnapshot: the memory data of a file as columns. For a PyTorch allocator snapshot: the segments and
// blocks at the time of the dump, and the recorded history of allocations and frees, oldest first. For other
// recorders (MemoryRecorder), it contains only a history. Created by the reader (through MemoryHistory
// for other recorders) and owned by its Report (strings are StringIds of that report); immutable and shared
// afterwards.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/ids.h"
#include "core/trace/memory_op.h"

namespace lockstep {

// MemoryRecorder: the tool that recorded a memory history, and the properties of such recordings. The reader
// sets it for each device number of its MemorySnapshot; memory views query these properties instead of the
// tool. Constants; any thread.

// Files store these by number, so do not renumber them.
enum class MemoryRecorder : uint8_t {
    allocator,      // a snapshot of PyTorch's caching allocator
    torchProfiler,  // Kineto's "[memory]" instants
    cudaDriver,     // CUDA_GPU_MEMORY_USAGE_EVENTS of nsys
    ascendProfiler, // Ascend's operator_memory.csv
    categories,     // export_memory_timeline: bytes of each category
    components,     // Ascend's memory_record.csv: bytes of each component
    count
};

struct MemoryRecording {
    std::string_view name; // "torch.profiler memory events"
    // Suffix for lane names; empty if no suffix is needed.
    std::string_view remark;
    std::string_view explanation; // one or two sentences about the blocks; may be empty
    std::string_view stackRemark; // meaning of the stacks, if they are not the allocator's own
    // true if rows are allocations and frees; otherwise they are totals, shown as artificial blocks
    bool hasBlocks = true;
    bool hasAddresses = true; // true if block addresses are recorded; otherwise they are artificial
    bool hasSegments = false; // true if segments allocated from the driver are recorded
    // True if requested sizes are recorded in addition to allocated sizes; otherwise both are assumed to be
    // equal.
    bool hasRequested = false;
    bool hasStreams = false; // true if the stream of each block is recorded
    // true if the file contains nothing else, so that all of its counters are redundant
    bool coversWholeFile = false;
    std::string_view counters = ""; // otherwise: substring in the names of its redundant counters
    // If two recordings cover the same memory and time, the one with the higher value is shown.
    int detail = 0;
};

const MemoryRecording& recordingOf(MemoryRecorder recorder);
// Returns true if a counter of the same file shows nothing that the lanes of this recording do not show.
bool isCounterRedundant(const MemoryRecording& recording, std::string_view counter);

// The memory that a device number represents, and the recorder.
struct MemorySubject {
    MemoryRecorder recorder = MemoryRecorder::allocator;
    MemoryKind kind = MemoryKind::device;
    int32_t ordinal = 0; // GPU ordinal within the process; -1 for host memory
    ProcessId process;   // invalid for the only process of the report

    friend bool operator==(const MemorySubject&, const MemorySubject&) = default;
};

// Returns "GPU 0", "unnamed device", "CPU", "pinned host memory", "managed memory of GPU 1".
std::string memorySubjectName(const MemorySubject& subject);

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

// Detects which sizes the history of a memory snapshot records. PyTorch records requested sizes; other
// writers, and tools that rewrite snapshots, record allocated sizes.
enum class RecordedSizes : uint8_t {
    unknown,   // no row shows which of the other two applies
    requested, // requested sizes; most blocks in the dump that the history allocated show this
    allocated  // allocated sizes, or addresses show that the allocator does not round sizes
};

// Determines the kind of sizes. Compares blocks in the dump whose size differs from the requested size with
// the last history entry for the block, which has one of the two sizes. Blocks of PyTorch allocators begin at
// multiples of 512 bytes, so a history with other addresses comes from an allocator that does not round.
// O(entries log blocks).
RecordedSizes recordedSizesOf(const MemorySnapshot& snapshot);

} // namespace lockstep
