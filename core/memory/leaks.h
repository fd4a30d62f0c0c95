// SPDX-License-Identifier: Apache-2.0
// Leak suspects: blocks that are never freed, stacks whose memory grows from step to step, and the trend test
// of the NeMo RL profiling guide. Pure functions of a replay; any thread. A suspect is no proof: what was
// allocated shortly before the dump would have been freed after it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/memory/allocator_replay.h"

namespace lockstep {

// The guide's test: a line through the samples by least squares over 0, 1, 2 ... A leak is a slope above the
// threshold; with too few samples nothing is said.
struct TrendRule {
    size_t fewestSamples = 10;
    double threshold_gbPerStep = 0.001; // of 10^9 bytes; the guide calls it 1 MB a step
};

struct MemoryTrend {
    size_t samples = 0;
    bool isEnough = false; // as many samples as the rule wants
    bool isLeak = false;   // enough, and slope above the threshold
    double slope_gbPerStep = 0;
    double slopeError_gbPerStep = 0; // standard error; 0 below three samples
};
// samples_bytes: allocated memory, one a step, each at the same phase of its step. O(samples).
MemoryTrend memoryTrend(std::span<const int64_t> samples_bytes, const TrendRule& rule);

// The guide's words for bytes that were allocated and not freed (MB = 10^6): none for up to 0, low, medium
// above 10 MB, high above 100 MB.
enum class LeakSeverity : uint8_t { none, low, medium, high };
LeakSeverity leakSeverity(int64_t leaked_bytes);
std::string_view leakSeverityName(LeakSeverity severity);

// A stack whose active memory at the ends of steps rises.
struct GrowingStack {
    MemoryStackId stack;              // invalid: no stack was recorded
    std::vector<int64_t> level_bytes; // active at each of the moments
    int64_t growth_bytes = 0;         // from the first to the last
    uint32_t rises = 0;               // from how many moments to the next it rose
    uint32_t falls = 0;
    MemoryTrend trend;
};
// moments: one a step, at the same phase of each, rising; fewer than two give nothing, of more than
// kMostLeakSteps the last count. Stacks that grew by more than leastGrowth_bytes and rose more often than
// they fell, the most growth first, then by stack; at most `most`. O(blocks log blocks + stacks * moments).
inline constexpr size_t kMostLeakSteps = 1024;
std::vector<GrowingStack> growingStacks(const DeviceReplay& device, std::span<const MemoryMoment> moments,
                                        int64_t leastGrowth_bytes, const TrendRule& rule, size_t most);

// What the history handed out and did not free to its end, by stack.
struct UnfreedStack {
    MemoryStackId stack;
    uint64_t blocks = 0;
    int64_t size_bytes = 0;
    MemoryMoment firstBorn = 0, lastBorn = 0;

    friend bool operator==(const UnfreedStack&, const UnfreedStack&) = default;
};
// Blocks born in [born.first, born.second) only; those whose free was asked for are left out. The most bytes
// first, then by stack. O(blocks).
std::vector<UnfreedStack> unfreedStacks(const DeviceReplay& device,
                                        std::pair<MemoryMoment, MemoryMoment> born);

// The end of each step by the annotations of the report's user scopes: ranges whose name holds the word, such
// as "step" of "## step 3 ##", by their ends. Empty where there are none, or no times. O(slices).
struct StepEnd {
    MemoryMoment moment = 0;
    StringId name; // of the annotation

    friend bool operator==(const StepEnd&, const StepEnd&) = default;
};
std::vector<StepEnd> stepEnds(const Report& report, const DeviceReplay& device, std::string_view word);
// Their moments, each once, in order.
std::vector<MemoryMoment> stepMoments(const Report& report, const DeviceReplay& device,
                                      std::string_view word);

} // namespace lockstep
