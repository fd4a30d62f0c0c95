// SPDX-License-Identifier: Apache-2.0
// SampleLanes: the samples of a process, in a lane for each training step, weight version, prompt group,
// replica or outcome, as the user chose. The lines of a lane are sorted by a time of the sample.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/samples/tail.h"

namespace lockstep {

class ProcessLanesBuilder;

// What a line's position shows: when the sample ended or started, how long it took, or how long it waited:
// its time in the queue and without a recorded part.
enum class SampleOrder : uint8_t { end, start, length, wait };
inline constexpr std::array<std::string_view, 4> kSampleOrderNames{"end", "start", "length", "wait"};

enum class SampleGrouping : uint8_t {
    automatic, // by step, otherwise by weight version, and one lane if neither is recorded
    step,
    version, // of the first generation
    prompt,  // samples of one prompt
    replica,
    outcome
};
inline constexpr std::array<std::string_view, 6> kSampleGroupingNames{"automatic", "step",    "version",
                                                                      "prompt",    "replica", "outcome"};
// If there are more prompts or replicas than this, those that ended last have lanes, and one lane has the
// samples of all others.
inline constexpr size_t kMaxNamedSampleLanes = 100;

struct SampleLaneChoice {
    SampleOrder order = SampleOrder::end;
    SampleGrouping grouping = SampleGrouping::automatic;

    friend bool operator==(const SampleLaneChoice&, const SampleLaneChoice&) = default;
};

struct LaneSample {
    ReportKey report;
    SampleId sample;
    TimeRange time;      // aligned; an open sample reaches to the end of its slice
    int64_t wait_ns = 0; // set only if the samples are sorted by it
};

struct SampleLaneData {
    std::vector<LaneSample> samples;             // in order, the greatest one at the bottom
    std::array<bool, kSampleParts> hasPart = {}; // parts that occur in the samples
};

// Adds nothing if the process has no sample with a time.
void addSampleLanes(ProcessLanesBuilder& lanes);

} // namespace lockstep
