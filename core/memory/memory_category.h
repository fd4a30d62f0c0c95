// SPDX-License-Identifier: Apache-2.0
// MemoryCategory is the purpose of a block, inferred from the allocating stack: weights, optimizer state,
// gradients and so on. Computed once per snapshot; memory views use it for colors and legends. Pure
// functions.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/string_pool.h"
#include "core/trace/memory_snapshot_table.h"

namespace lockstep {

// Values are in the stacking order of the areas, from the bottom.
enum class MemoryCategory : uint8_t {
    weights,
    optimizer,
    gradients,
    activations,
    kvCache,
    communication,
    other,   // the block has a stack, but no known frame
    noStack, // no stack was recorded
    count
};

// Returns the name: "weights", "KV cache", "no stack" ...
std::string_view memoryCategoryName(MemoryCategory category);

// Returns a category for each stack in the snapshot. The category is determined by the innermost frame for
// which there is a rule; recomputation during the backward pass therefore counts as activations. strings: the
// string table of the report. O(frames + stack frames).
std::vector<MemoryCategory> stackCategories(const MemorySnapshot& snapshot, const StringPool& strings);

// Returns the category of a stack; noStack for an invalid one.
inline MemoryCategory categoryOf(const std::vector<MemoryCategory>& ofStacks, MemoryStackId stack)
{
    return stack.isValid() ? ofStacks[stack.value] : MemoryCategory::noStack;
}

} // namespace lockstep
