// SPDX-License-Identifier: Apache-2.0
// MemoryRecorder: the tool that recorded a memory history, and the properties of such recordings. The reader
// sets it for each device number of its MemorySnapshot; memory views query these properties instead of the
// tool. Constants; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/ids.h"
#include "core/trace/memory_op.h"

namespace lockstep {

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
    int richness = 0;
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

} // namespace lockstep
