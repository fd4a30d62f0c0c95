// SPDX-License-Identifier: Apache-2.0
// MemoryNeed: what a view of memory lives by, and in one sentence why it has nothing to show of a file that
// does not tell it. Said by the panel for each view; pure functions of a source, any thread.
#pragma once

#include "ui/memory/memory_source.h"

namespace lockstep {

enum class MemoryNeed : uint8_t {
    nothing,  // levels over time will do
    blocks,   // allocations, one by one
    segments, // what the allocator holds, piece by piece
    settings, // what the allocator was told
};

// Empty where the source has it.
QString missingText(const MemorySource& source, MemoryNeed need);

} // namespace lockstep
