// SPDX-License-Identifier: Apache-2.0
// SampleTables: what a report records about samples of reinforcement learning: the samples (or requests to an
// inference server), their spans, weight updates, values per step, and the GPUs of replicas. Filled by
// SampleRows (core/readers/samples) for records of many formats; immutable in a Report. Times are ns on the
// report's clock; strings are StringIds of the report.
//
// Every placed sample is a slice (RowKind::sample) on a track of kind TrackKind::samples, and its spans are
// the slices below it, so that all functions for slices apply to them. These tables add what a slice lacks.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "core/base/column.h"
#include "core/base/ids.h"

namespace lockstep {

using SampleId = Id<struct SampleTag>; // row of a report's sample table

inline constexpr int64_t kUnrecorded = std::numeric_limits<int64_t>::min(); // not recorded

enum class SampleLevel : uint8_t { sample, request, count };

// In the order of values in files; add new ones at the end.
enum class SampleStatus : uint8_t {
    unknown,
    completed,
    truncated, // ended at the length limit
    aborted,
    failed,
    rejected,
    dropped, // filtered before it was used
    pending,
    count
};

// What a span is about. Stored by number; add new ones at the end.
enum class SpanKind : uint8_t {
    other,
    queue,
    prefill,
    decode,
    generate, // prefill and decode, not separated
    tool,
    reward,
    kvTransfer,
    weightUpdate,
    phase,      // a phase of a training step
    preemption, // an instant: the engine discarded the work of a request
    // parts of a weight update
    weightPause,
    weightGather,
    weightReshard,
    weightTransfer,
    weightResume,
    count
};

// One sample, or one request for records of inference servers.
struct Sample {
    StringId id;         // the source's own name; unique in the report
    StringId group;      // samples of one prompt; invalid if not recorded, like the strings below
    StringId replica;    // of the rollout engine
    StringId statusText; // the source's own word
    SliceId slice;       // invalid if the source records no times
    ProcessId process;
    int64_t start_ns = kUnrecorded;
    int64_t end_ns = kUnrecorded; // kUnrecorded for a sample that had not ended
    int64_t step = kUnrecorded;
    int64_t firstVersion = kUnrecorded; // weight version at the start of the first generation
    int64_t lastVersion = kUnrecorded;  // weight version at the end of the last generation
    int64_t promptTokens = kUnrecorded;
    int64_t outputTokens = kUnrecorded;
    int64_t cachedTokens = kUnrecorded; // of the prompt
    int64_t preemptions = kUnrecorded;
    double reward = std::numeric_limits<double>::quiet_NaN(); // NaN = not recorded
    int32_t attempts = 1;
    SampleLevel level = SampleLevel::sample;
    SampleStatus status = SampleStatus::unknown;
    uint8_t flags = 0; // a sampleFlag

    bool isPlaced() const { return start_ns != kUnrecorded && end_ns != kUnrecorded; }
};

namespace sampleFlag {
inline constexpr uint8_t kGroupEnd = 1;   // end_ns is when the whole group was finished
inline constexpr uint8_t kPartial = 2;    // continued in, or from, another step
inline constexpr uint8_t kEvaluation = 4; // not used for training
} // namespace sampleFlag

// What a slice lacks to be the span of a sample. Sorted by slice.
struct SampleSpan {
    static constexpr int32_t kNoTurn = -1;

    SliceId slice;
    SampleId sample; // invalid for spans of a process, such as weight updates
    StringId request;
    int32_t turn = kNoTurn; // zero-based
    int32_t attempt = 0;    // zero-based
    SpanKind kind = SpanKind::other;
    uint8_t isDerived = 0; // 1: its position is computed from recorded durations
};

// One update of the weights of the rollout engines. Its parts are spans of the same track inside its slice.
struct WeightUpdate {
    SliceId slice;
    int64_t version = kUnrecorded; // afterwards
    int64_t size_bytes = kUnrecorded;
};

// A value of a step for which the source records no time.
struct StepValue {
    StringId name; // "timing_s/gen"
    int64_t step = 0;
    double value = 0;
};

// A GPU of a replica from some time on, until a later row for the same replica.
struct ReplicaGpu {
    int64_t validFrom_ns = 0;
    StringId replica;
    StringId host;
    StringId uuid;
    int32_t gpu = -1; // ordinal on the host
};

struct SampleTables {
    Column<Sample> samples;             // in file order
    Column<SampleSpan> spans;           // sorted by slice
    Column<uint32_t> spansBySample;     // rows of `spans` that have a sample, sorted by sample, then start
    Column<WeightUpdate> weightUpdates; // sorted by slice
    Column<StepValue> stepValues;       // in file order
    Column<ReplicaGpu> replicaGpus;     // in file order

    bool empty() const
    {
        return samples.empty() && spans.empty() && stepValues.empty() && replicaGpus.empty();
    }
    // Returns the details of a slice, or nullptr if it is no span. O(log spans).
    const SampleSpan* spanOf(SliceId slice) const;
    // Returns the rows of `spans` of a sample, in chronological order. O(log spans).
    std::span<const uint32_t> spansOf(SampleId sample) const;
    // Returns true if all references are valid, and the tables are sorted as stated. For data from files.
    bool holds(size_t slices, size_t strings, size_t processes) const;
};

} // namespace lockstep
