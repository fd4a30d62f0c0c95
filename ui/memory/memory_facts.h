// SPDX-License-Identifier: Apache-2.0
// MemoryFacts: what the memory panel's card says of one device: its peak, why an allocation failed, who is
// suspected of leaking. Made by memoryFacts() on a worker, immutable afterwards.
#pragma once

#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/memory/allocator_state.h"
#include "core/memory/leaks.h"
#include "ui/memory/memory_source.h"

namespace lockstep {

inline constexpr size_t kMostSuspects = 50; // that are told

struct MemoryFacts {
    Fragmentation peakPool;                 // at the peak of active memory
    std::vector<OutOfMemoryCause> failures; // the first few
    uint64_t failureCount = 0;              // how many there were
    std::string failureText;                // of the first, in one sentence
    std::vector<MemoryMoment> steps;        // ends of steps that the file's annotations name
    std::vector<GrowingStack> growing;      // over these steps, the most growth first
    std::vector<UnfreedStack> unfreed;      // handed out in the history and never freed, the most bytes first
    MemoryTrend trend;                      // of allocated memory over the steps
};

// canceled is the only error. O(entries + blocks log blocks).
Result<std::shared_ptr<const MemoryFacts>> memoryFacts(const MemorySource& source, const Progress& progress);

} // namespace lockstep
