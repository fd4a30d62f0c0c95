// SPDX-License-Identifier: Apache-2.0
// SampleTail: how long the samples of a step (or of a weight version) took, which came last and why, and what
// the GPUs of the rollout engines lost by waiting for it. Pure functions of times on one clock; all sums are
// exact integers in ns. Used by the rollout_tail analysis. Thread: any.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/align/clock_map.h"
#include "core/base/time.h"
#include "core/trace/report.h"

namespace lockstep {

// What a sample did. Where spans overlap, the first of these counts, so that the parts add up to the sample's
// time; `other` is the time without any span.
enum class SamplePart : uint8_t { tool, reward, prefill, generate, decode, transfer, queue, other, count };
inline constexpr size_t kSampleParts = static_cast<size_t>(SamplePart::count);
// Returns "tool", "reward" ...
std::string_view samplePartName(SamplePart part);
// Returns nullopt for spans that are no part of a sample's own work, such as a span that contains others.
std::optional<SamplePart> samplePartOf(SpanKind kind);
// Returns whether the engine works on the sample.
constexpr bool isEngineWork(SamplePart part)
{
    return part == SamplePart::prefill || part == SamplePart::generate || part == SamplePart::decode;
}

using SamplePartTimes = std::array<int64_t, kSampleParts>; // ns

// A sample with all times on one clock.
struct TimedSample {
    static constexpr uint32_t kNoReplica = ~uint32_t(0);

    TimeRange time;
    std::optional<int64_t> tokens; // of the output
    uint32_t replica = kNoReplica; // index of its rollout engine
    SamplePartTimes parts = {};    // add up to the length of `time`
    std::vector<TimeRange> engine; // times in which the engine worked on it; empty if not recorded
};

struct PartSpan {
    TimeRange range;
    SamplePart part = SamplePart::other;
};

// Returns the times of a placed sample on the aligned axis, without its replica.
TimedSample timedSample(const Report& report, SampleId sample, const ClockMap& map);

// Divides a time into parts. The result adds up to the length of `time` exactly. Sorts the spans.
// O(n log n).
SamplePartTimes dividedTime(TimeRange time, std::vector<PartSpan>& spans);

// Returns the element of sorted values at a percentile by nearest rank: element ceil(percent / 100 * n),
// counted from 1. `sorted` must not be empty.
int64_t nearestRank(std::span<const int64_t> sorted, int percent);

// Why a sample took longer than the median: for each part, the excess over the median of this part. The
// excesses add up to the sample's time minus the sum of the medians.
struct TailReason {
    SamplePartTimes excess_ns = {};
    SamplePart largest = SamplePart::other; // the part with the largest excess
    // Of the excess of decode and generate: because the output has more tokens than the median, at the median
    // time per token. The rest is slower work per token. Absent if tokens are not known.
    std::optional<int64_t> moreTokens_ns;
    bool isKnown = false; // false if spans cover less than 80 % of the sample's time
};

// What the GPUs of all replicas did from the first start to the last end, in GPU ns. The sums are exact:
// capacity = busy + idle.
struct TailIdle {
    bool isOfEngine = false; // busy by engine spans; otherwise by the times of the assigned samples
    __int128 capacity = 0;
    __int128 busy = 0;
    __int128 idle = 0;
    __int128 after50 = 0; // idle after half of the samples had ended
    __int128 after90 = 0;
};

struct SampleTail {
    size_t count = 0;
    int64_t p50_ns = 0, p90_ns = 0, p99_ns = 0, max_ns = 0; // durations, nearest rank
    TimeRange window;                                       // from the first start to the last end
    TraceTime ended50, ended90;                             // when ceil(q n) samples had ended
    size_t last = 0;                                        // index of the sample that ended last
    TailReason reason;                                      // of the last sample
    // If all samples that had not ended at ended90 were given up: an upper bound of the time saved, and how
    // many they are.
    int64_t saved_ns = 0;
    size_t discarded = 0;
};

// Medians of the parts and of the time per token over all samples, by nearest rank.
struct TailMedians {
    SamplePartTimes parts_ns = {};
    std::optional<int64_t> tokens;
    std::optional<int64_t> perToken_ps; // of prefill-free generation, in ps
};
TailMedians mediansOf(std::span<const TimedSample> samples);
TailReason reasonOf(const TimedSample& sample, const TailMedians& medians);

// samples: at least one.
SampleTail tailOf(std::span<const TimedSample> samples);
// gpus: number of GPUs by replica. Every sample must have a replica below its size. By engine spans if every
// sample has some. O(n log n).
TailIdle idleOf(std::span<const TimedSample> samples, std::span<const int64_t> gpus, const SampleTail& tail);

} // namespace lockstep
