// SPDX-License-Identifier: Apache-2.0
// BlockSearch finds the blocks in an allocator state that match a search string: part of a frame in the
// allocating stack, or an address. findBlocks() is a pure function. Thread: any.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/memory/allocator_state.h"

namespace lockstep {

struct FoundBlocks {
    std::vector<uint8_t> isFound; // for each row of AllocatorState::blocks, whether the block matches
    uint32_t count = 0;
    uint64_t size_bytes = 0; // total size of the matching blocks
};

// Finds the blocks. Frames ("file:line function") match case-insensitively. Hexadecimal digits, with or
// without 0x, also match a block whose start address begins with these digits or which contains that address.
// A blank search string matches nothing. O(frames + stacks + blocks).
FoundBlocks findBlocks(const AllocatorState& state, const DeviceReplay& device,
                       const MemorySnapshot& snapshot, const StringPool& strings, std::string_view text);

} // namespace lockstep
