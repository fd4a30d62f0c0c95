// SPDX-License-Identifier: Apache-2.0
// MemoryFacts are the figures of one device on the memory panel's card: the peak, failed allocations, and
// leak suspects. A worker computes the figures with memoryFacts(). Immutable afterwards.
#pragma once

#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/memory/allocator_state.h"
#include "core/memory/leaks.h"
#include "ui/memory/memory_source.h"

namespace lockstep {

inline constexpr size_t kMaxSuspects = 50; // maximum number of listed suspects

struct MemoryFacts {
    Fragmentation peakPool;                 // state of the pool when active memory peaks
    std::vector<OutOfMemoryCause> failures; // causes of the first failures
    uint64_t failureCount = 0;              // number of failed allocations
    std::string failureText;                // the first failure in one sentence
    std::vector<MemoryMoment> steps;        // ends of steps named by the file's annotations
    std::vector<GrowingStack> growing;      // sorted by growth over these steps, largest first
    std::vector<UnfreedStack>
        unfreed;       // allocated during the recording and never freed; sorted by bytes, largest first
    MemoryTrend trend; // how allocated memory changes over the steps
};

// Computes the figures. The only possible error is ErrorKind::canceled. O(entries + blocks log blocks).
Result<std::shared_ptr<const MemoryFacts>> memoryFacts(const MemorySource& source, const Progress& progress);

} // namespace lockstep
