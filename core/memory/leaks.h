// SPDX-License-Identifier: Apache-2.0
// Leak suspects: blocks that are never freed, stacks whose memory grows from step to step, and the trend test
// from the NeMo RL profiling guide. A suspect is not proof: recent allocations may have been freed after the
// dump was taken. Pure functions of a replay. Thread: any.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/memory/allocator_replay.h"

namespace lockstep {

// TrendRule is the leak test from the NeMo RL profiling guide. It fits a least-squares line to the samples at
// x = 0, 1, 2 ... A slope above the threshold counts as a leak. If there are too few samples, there is no
// result.
struct TrendRule {
    size_t fewestSamples = 10;
    double threshold_gbPerStep = 0.001; // 1 GB = 10^9 bytes; the guide uses 1 MB per step
};

struct MemoryTrend {
    size_t samples = 0;
    bool hasEnoughSamples = false; // there are at least as many samples as the rule requires
    bool isLeak = false;           // hasEnoughSamples is true, and the slope is above the threshold
    double slope_gbPerStep = 0;
    double slopeError_gbPerStep = 0; // standard error of the slope; 0 for fewer than three samples
};
// Tests the trend. samples_bytes: allocated memory, one sample per step, each taken at the same phase of the
// step. O(samples).
MemoryTrend memoryTrend(std::span<const int64_t> samples_bytes, const TrendRule& rule);

// LeakSeverity rates the bytes that were allocated and not freed, using the thresholds in the guide (1 MB =
// 10^6 bytes): none for 0 or less, high above 100 MB, medium above 10 MB, otherwise low.
enum class LeakSeverity : uint8_t { none, low, medium, high };
LeakSeverity leakSeverity(int64_t leaked_bytes);
std::string_view leakSeverityName(LeakSeverity severity);

// GrowingStack is a stack whose active memory grows from the end of one step to the end of the next.
struct GrowingStack {
    MemoryStackId stack;              // invalid: no stack recorded
    std::vector<int64_t> level_bytes; // active bytes at each moment
    int64_t growth_bytes = 0;         // growth from the first moment to the last
    uint32_t rises = 0;               // number of times the memory increases from one moment to the next
    uint32_t falls = 0;
    MemoryTrend trend;
};
// Returns growing stacks. moments: one per step, each at the same phase of its step, ascending. If there are
// fewer than two, the result is empty; only the last kMaxLeakSteps are used. A stack must grow by more than
// leastGrowth_bytes and rise more often than it falls. Returns at most `most` stacks, sorted by growth
// (largest first), then by stack. O(blocks log blocks + stacks * moments).
inline constexpr size_t kMaxLeakSteps = 1024;
std::vector<GrowingStack> growingStacks(const DeviceReplay& device, std::span<const MemoryMoment> moments,
                                        int64_t leastGrowth_bytes, const TrendRule& rule, size_t most);

// UnfreedStack sums up the blocks allocated by one stack during the recording and never freed.
struct UnfreedStack {
    MemoryStackId stack;
    uint64_t blocks = 0;
    int64_t size_bytes = 0;
    MemoryMoment firstAllocated = 0, lastAllocated = 0;

    friend bool operator==(const UnfreedStack&, const UnfreedStack&) = default;
};
// Sums up the blocks allocated in [allocatedIn.first, allocatedIn.second), except blocks whose free was
// requested. Sorted by bytes (largest first), then by stack. O(blocks).
std::vector<UnfreedStack> unfreedStacks(const DeviceReplay& device,
                                        std::pair<MemoryMoment, MemoryMoment> allocatedIn);

// StepEnd is the end of a step, found in the report's user annotations. A step is a range whose name contains
// the given word, such as "step" in "## step 3 ##". Step ends are sorted by time. There are no step ends if
// the report has no annotations or no timestamps. O(slices).
struct StepEnd {
    MemoryMoment moment = 0;
    StringId name; // name of the annotation

    friend bool operator==(const StepEnd&, const StepEnd&) = default;
};
std::vector<StepEnd> stepEnds(const Report& report, const DeviceReplay& device, std::string_view word);
// Returns the moments of the step ends in ascending order, without duplicates.
std::vector<MemoryMoment> stepMoments(const Report& report, const DeviceReplay& device,
                                      std::string_view word);

} // namespace lockstep
