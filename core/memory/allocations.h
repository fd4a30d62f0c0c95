// SPDX-License-Identifier: Apache-2.0
// Allocations by the stacks that made them: a table of how often and how much, the tree of a moment's live
// memory for a flame graph, and what the peak would be without some of them. Pure functions of a replay; any
// thread.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/flame_layout.h"
#include "core/memory/allocator_replay.h"
#include "core/memory/memory_category.h"

namespace lockstep {

// What one stack allocated. Sizes are as handed out, but for requested_bytes.
struct StackUse {
    MemoryStackId stack;          // invalid: no stack was recorded
    uint64_t blocks = 0;          // how many, those from before the history too
    uint64_t requested_bytes = 0; // the sum of what they asked for
    int64_t peak_bytes = 0;       // active at the peak of all active memory
    uint64_t peakBlocks = 0;
    int64_t most_bytes = 0;  // its own highest active memory
    MemoryMoment mostAt = 0; // the first moment of that
    int64_t left_bytes = 0;  // handed out in the history and active at its end
    uint64_t leftBlocks = 0;

    friend bool operator==(const StackUse&, const StackUse&) = default;
};

// By peak_bytes, then most_bytes, the largest first, then by stack. O(entries + blocks). Incomplete once
// `progress` is to stop.
std::vector<StackUse> stackUses(const DeviceReplay& device, const Progress& progress = Progress());

// A frame of a flame graph with all stacks that go through it.
struct FlameNode {
    MemoryFrameId frame;    // invalid: the root, and below it what has no stack
    uint32_t parent = 0;    // row; the root is row 0 and its own parent
    uint32_t depth = 0;     // of the root 0
    int64_t size_bytes = 0; // active, with its children
    uint64_t blocks = 0;
    int64_t found_bytes = 0; // of size_bytes, what lies on stacks with a frame that was searched for
    MemoryCategory category = MemoryCategory::count; // of all its blocks; count: of several, or not asked

    friend bool operator==(const FlameNode&, const FlameNode&) = default;
};

struct FlameRequest {
    MemoryMoment moment = 0;
    bool isInverted = false; // from what allocated outwards, else from the program's start inwards
    // By frame: is it searched for? Empty: nothing is.
    std::vector<bool> isSearchedFor;
    // By stack: only these count. Empty: all; those without a stack count then only.
    std::vector<bool> isShown;
    // By frame: left out of the tree. A stack of nothing else keeps all of its frames.
    std::vector<bool> isPassedOver;
    std::vector<MemoryCategory> categories; // of the snapshot's stacks; empty: not asked
};

// The root comes first, every node after its parent; siblings by size, the largest first, then by frame. A
// stack that goes through a frame again has a node for each time. O(blocks + frames of live stacks).
std::vector<FlameNode> flameTree(const DeviceReplay& device, const MemorySnapshot& snapshot,
                                 const FlameRequest& request);

// What a layout needs of them, in the same order: bytes are the size, blocks the count.
std::vector<FlameFrame> framesOf(std::span<const FlameNode> nodes);

// By frame, whether the text is in its "file:line function"; upper and lower case are alike.
std::vector<bool> framesWith(const MemorySnapshot& snapshot, const StringPool& strings,
                             std::string_view text);
// Whether a frame is the recorder's own machinery, which torch's viewer leaves out, or the Python
// interpreter's.
bool isMachinery(const MemoryFrame& frame, const StringPool& strings);
// By frame.
std::vector<bool> machineryFrames(const MemorySnapshot& snapshot, const StringPool& strings);
// By stack, whether it holds one of these frames.
std::vector<bool> stacksWith(const MemorySnapshot& snapshot, const std::vector<bool>& frames);

// The peak of active memory if the blocks of some stacks had never been, everything else as it was. levels
// are without them too, but reserved, which is as it was. isWithout: by stack. O(entries).
MemoryPeak peakWithout(const DeviceReplay& device, const std::vector<bool>& isWithout);

// Active bytes and blocks by stack at a moment, the largest first, then by stack.
struct StackLevel {
    MemoryStackId stack;
    int64_t size_bytes = 0;
    uint64_t blocks = 0;

    friend bool operator==(const StackLevel&, const StackLevel&) = default;
};
std::vector<StackLevel> stackLevels(const DeviceReplay& device, MemoryMoment moment);

} // namespace lockstep
