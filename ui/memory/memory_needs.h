// SPDX-License-Identifier: Apache-2.0
// MemoryNeed specifies which data a memory view needs; missingText() explains in one sentence why a view has
// nothing to show. Pure functions of a source; any thread.
#pragma once

#include "ui/memory/memory_source.h"

namespace lockstep {

enum class MemoryNeed : uint8_t {
    nothing,  // needs only levels over time
    blocks,   // needs individual allocations
    segments, // needs allocator segments
    settings, // needs allocator settings
};

// Returns a message that states which data is missing and what to open instead; an empty string if the source
// has the data.
QString missingText(const MemorySource& source, MemoryNeed need);

} // namespace lockstep
