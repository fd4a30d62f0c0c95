// SPDX-License-Identifier: Apache-2.0
// StepBalance: what the trainer of a reinforcement-learning step did: it trained, waited for samples, or
// updated the weights of the rollout engines. Pure functions of times on one clock, or of sums without
// positions. All results are exact integers in ns. Used by the async_balance analysis. Thread: any.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/interval_set.h"
#include "core/base/rl_phase.h"
#include "core/trace/sample_tables.h"

namespace lockstep {

// Returns the part of a weight update that a span is; nullopt for other spans.
std::optional<WeightPart> weightPartOf(SpanKind kind);

// How a phase counts; nullopt for phases that belong to the rest of a step, such as rewards.
enum class BalancePart : uint8_t { train, exposedGeneration, weightSync, count };
std::optional<BalancePart> balancePartOf(RlPhase phase);

struct StepBalance {
    int64_t wall_ns = 0; // of the step
    int64_t train_ns = 0;
    int64_t exposed_ns = 0;               // the trainer waits while samples are generated
    std::optional<int64_t> bufferWait_ns; // of exposed_ns: no sample was ready
    int64_t weightSync_ns = 0;            // without time in which the trainer trains
    std::array<int64_t, kWeightParts> parts_ns = {};
    int64_t unattributed_ns = 0; // weightSync_ns without its parts
    int64_t other_ns = 0;        // the rest of wall_ns; negative if the parts exceed it
    bool hasParts = false;       // parts of the weight update are recorded

    // Whether the parts fit into the step, with 1 % of tolerance for timers that do not start and end exactly
    // with each other.
    bool isConsistent() const { return other_ns * 100 >= -wall_ns; }
};

// The times of everything that happened, in any step.
struct BalanceTimes {
    IntervalSet train, waiting, weightSync;
    std::optional<IntervalSet> bufferWait;
    std::array<IntervalSet, kWeightParts> parts;
};

// A time in several sets counts once: for train, else for weightSync, else for waiting. Parts of weight
// updates count within weightSync. wall = train + exposed + weightSync + other, exactly. O(ranges).
StepBalance balanceWithin(TimeRange step, const BalanceTimes& times);

// Returns the weight version that a step trained. An update to `version` ended within the step. Usually the
// step trained the version before it; if it only trains after the update, as in ROLL, it trained `version`.
// Returns nullopt if `version` is not recorded. All times are on one clock.
std::optional<int64_t> trainedVersion(int64_t version, TraceTime updateEnd, TimeRange step,
                                      const IntervalSet& train);

// A sum of a step, for which the source records no position.
struct StepTimer {
    std::string_view name;
    int64_t time_ns = 0;
    std::optional<BalancePart> part; // nullopt: only subtracted from the timer around it
    bool isBufferWait = false;
};

// Adds up timers. inside: pairs of names, the inner timer and the one that contains its time; the inner time
// is subtracted from the outer timer. Appends the subtractions to `subtracted` as "inner from outer".
StepBalance balanceOfTimers(int64_t wall_ns, std::span<const StepTimer> timers,
                            std::span<const std::pair<std::string, std::string>> inside,
                            std::vector<std::string>& subtracted);

} // namespace lockstep
