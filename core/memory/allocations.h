// SPDX-License-Identifier: Apache-2.0
// Allocations by allocating stack: a table of counts and sizes, the tree of live memory at a point in time
// for a flame graph, and the memory peak that would remain without certain stacks. Pure functions of a
// replay. Thread: any.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/flame_layout.h"
#include "core/memory/allocator_replay.h"
#include "core/memory/memory_category.h"

namespace lockstep {

// StackUse sums up the allocations of one stack. All sizes except requested_bytes are allocated sizes.
struct StackUse {
    MemoryStackId stack;          // invalid: no stack recorded
    uint64_t blocks = 0;          // number of blocks, including those from before the recording
    uint64_t requested_bytes = 0; // sum of requested sizes
    int64_t peak_bytes = 0;       // active at the peak of total active memory
    uint64_t peakBlocks = 0;
    int64_t most_bytes = 0;    // bytes at the stack's own peak of active memory
    MemoryMoment mostAt = 0;   // first moment at which most_bytes is reached
    int64_t unfreed_bytes = 0; // allocated during the recording and still active at its end
    uint64_t unfreedBlocks = 0;

    friend bool operator==(const StackUse&, const StackUse&) = default;
};

// Returns the stacks sorted by peak_bytes (largest first), then by most_bytes (largest first), then by stack.
// O(entries + blocks). Incomplete if `progress` is canceled.
std::vector<StackUse> stackUses(const DeviceReplay& device, const Progress& progress = Progress());

// FlameNode is one frame in a flame graph, with all stacks that contain it.
struct FlameNode {
    MemoryFrameId frame;    // invalid for the root, and for blocks without a stack below it
    uint32_t parent = 0;    // row of the parent; the root is row 0 and its own parent
    uint32_t depth = 0;     // 0 for the root
    int64_t size_bytes = 0; // active bytes, children included
    uint64_t blocks = 0;
    int64_t found_bytes = 0; // part of size_bytes that belongs to stacks with a frame that matches the search
    // The category of all blocks in this node. `count` if the blocks have several categories, or if
    // categories were not requested.
    MemoryCategory category = MemoryCategory::count;

    friend bool operator==(const FlameNode&, const FlameNode&) = default;
};

struct FlameRequest {
    MemoryMoment moment = 0;
    // True: the tree leads from the allocation to its callers. False: it leads from the program's entry point
    // inward.
    bool isInverted = false;
    // By frame: whether it matches the search. Empty if there is no search.
    std::vector<bool> isSearchedFor;
    // By stack: whether the stack is included. If empty, all stacks and the blocks without a stack are
    // included.
    std::vector<bool> isShown;
    // By frame: whether the frame is omitted from the tree. If all frames of a stack would be omitted, all
    // its frames are kept.
    std::vector<bool> isOmitted;
    std::vector<MemoryCategory> categories; // categories by stack of the snapshot; empty: not requested
};

// Returns the tree with the root first and each node after its parent. Siblings are sorted by size, largest
// first, then by frame. Recursive frames get a node for each occurrence. O(blocks + frames of live stacks).
std::vector<FlameNode> flameTree(const DeviceReplay& device, const MemorySnapshot& snapshot,
                                 const FlameRequest& request);

// Returns the nodes as input for a flame layout, in the same order, with bytes as size and blocks as count.
std::vector<FlameFrame> framesOf(std::span<const FlameNode> nodes);

// For each frame, returns whether its "file:line function" contains the search string, ignoring case.
std::vector<bool> framesWith(const MemorySnapshot& snapshot, const StringPool& strings,
                             std::string_view text);
// Returns true for frames of the recorder, which PyTorch's viewer omits, and for frames of the Python
// interpreter.
bool isInternalFrame(const MemoryFrame& frame, const StringPool& strings);
// Returns the result of isInternalFrame() for each frame.
std::vector<bool> internalFrames(const MemorySnapshot& snapshot, const StringPool& strings);
// For each stack, returns whether it contains one of these frames.
std::vector<bool> stacksWith(const MemorySnapshot& snapshot, const std::vector<bool>& frames);

// Returns the peak of active memory that would result if the blocks of certain stacks had never existed. The
// other levels exclude these blocks as well; only the reserved level is unchanged. isExcluded: by stack,
// whether its blocks are excluded. O(entries).
MemoryPeak peakWithout(const DeviceReplay& device, const std::vector<bool>& isExcluded);

// Active bytes and blocks of one stack at one point in time. stackLevels() sorts by size, largest first, then
// by stack.
struct StackLevel {
    MemoryStackId stack;
    int64_t size_bytes = 0;
    uint64_t blocks = 0;

    friend bool operator==(const StackLevel&, const StackLevel&) = default;
};
std::vector<StackLevel> stackLevels(const DeviceReplay& device, MemoryMoment moment);

} // namespace lockstep
