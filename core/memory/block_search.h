// SPDX-License-Identifier: Apache-2.0
// BlockSearch: which blocks of an allocator's state are meant by what a person typed: part of a frame of the
// stack that allocated them, or an address. Made by findBlocks(), a pure function; any thread.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/memory/allocator_state.h"

namespace lockstep {

struct FoundBlocks {
    std::vector<uint8_t> isFound; // by row of AllocatorState::blocks
    uint32_t count = 0;
    uint64_t size_bytes = 0; // of those together
};

// Case does not count in frames ("file:line function"). Hexadecimal digits, with or without 0x, are also an
// address: the beginning of a block's first one, or one that lies within it. Blank text finds nothing.
// O(frames + stacks + blocks).
FoundBlocks findBlocks(const AllocatorState& state, const DeviceReplay& device,
                       const MemorySnapshot& snapshot, const StringPool& strings, std::string_view text);

} // namespace lockstep
