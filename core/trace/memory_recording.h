// SPDX-License-Identifier: Apache-2.0
// MemoryRecorder: who recorded a history of memory, and what such a recording carries. Said by the reader for
// each device number of its MemorySnapshot; read by whatever shows memory, which asks for what it needs
// instead of for who recorded it. Constants; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/ids.h"
#include "core/trace/memory_op.h"

namespace lockstep {

// Stored by number.
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
    std::string_view name; // "torch.profiler's memory events"
    // What rows are, for the name of a lane: empty where that goes without saying.
    std::string_view remark;
    std::string_view explanation; // what is to be known of its blocks, in a sentence or two; may be empty
    std::string_view stackRemark; // what the stacks of blocks are, where not the allocator's own
    bool hasBlocks = true;        // rows are allocations and frees; else totals, of which pieces are made
    bool hasAddresses = true;     // of blocks; else those in the tables were made up
    bool hasSegments = false;     // what is held from the driver, piece by piece
    bool hasRequested = false; // what was asked for beside what was handed out; else they are taken as equal
    bool hasStreams = false;   // of whose work a block is for
    bool isWholeFile = false;  // the file holds nothing else, so that its counters say the same again
    std::string_view counters = ""; // where not: what the names of its counters hold that say the same again
    int richness = 0; // of two that tell of the same memory at the same time the higher is shown
};

const MemoryRecording& recordingOf(MemoryRecorder recorder);
// True of a counter, of its file, that shows no more than lanes of this recording do.
bool isSaidBy(const MemoryRecording& recording, std::string_view counter);

// Whose memory the rows of a device number are, and who says so.
struct MemorySubject {
    MemoryRecorder recorder = MemoryRecorder::allocator;
    MemoryKind kind = MemoryKind::device;
    int32_t ordinal = 0; // of the GPU, as its process numbers it; -1: the host's memory
    ProcessId process;   // invalid: the report's only one

    friend bool operator==(const MemorySubject&, const MemorySubject&) = default;
};

// "GPU 0", "a device that is not named", "CPU", "pinned memory of the host", "managed memory of GPU 1".
std::string memorySubjectName(const MemorySubject& subject);

} // namespace lockstep
