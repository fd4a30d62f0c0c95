// SPDX-License-Identifier: Apache-2.0
// MemoryCategory: what a block is for, guessed from the stack that allocated it: weights, optimizer state,
// gradients and so on. Made once per snapshot; colours and legends of memory views read it. Pure functions.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/string_pool.h"
#include "core/trace/memory_snapshot_table.h"

namespace lockstep {

// In the order in which areas stack, from below.
enum class MemoryCategory : uint8_t {
    weights,
    optimizer,
    gradients,
    activations,
    kvCache,
    communication,
    other,   // a stack that says nothing
    noStack, // none was recorded
    count
};

// "weights", "KV cache", "no stack" ...
std::string_view memoryCategoryName(MemoryCategory category);

// One per stack of the snapshot. The innermost frame that a rule knows decides, so that what is computed anew
// within backward counts as activations. strings are the report's. O(frames + stack frames).
std::vector<MemoryCategory> stackCategories(const MemorySnapshot& snapshot, const StringPool& strings);

// Of a block: that of its stack.
inline MemoryCategory categoryOf(const std::vector<MemoryCategory>& ofStacks, MemoryStackId stack)
{
    return stack.isValid() ? ofStacks[stack.value] : MemoryCategory::noStack;
}

} // namespace lockstep
