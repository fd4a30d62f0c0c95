// SPDX-License-Identifier: Apache-2.0
// RlPhase: the phases of a reinforcement-learning step, and the parts of an update of the rollout engines'
// weights. Recipes say which ranges of a framework belong to which. Any thread.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace lockstep {

enum class RlPhase : uint8_t {
    generation,
    reward,
    ref,
    oldLogProb,
    values,
    advantage,
    updateCritic,
    updateActor,
    weightSync,
    waiting, // time spent waiting for samples, or for a change between generation and training
    other,   // known ranges without a phase of their own: checkpoints, validation, start and stop of the
             // profiler
    count
};

inline constexpr size_t kRlPhases = static_cast<size_t>(RlPhase::count);

// Returns the words of recipes and the names of columns: "generation", "old_log_prob", "adv" ...
inline std::span<const std::string_view> enumNames(RlPhase)
{
    static constexpr std::array<std::string_view, kRlPhases> kNames{
        "generation",    "reward",       "ref",         "old_log_prob", "values", "adv",
        "update_critic", "update_actor", "weight_sync", "waiting",      "other"};
    return kNames;
}

inline std::string_view rlPhaseName(RlPhase phase)
{
    return enumNames(phase)[static_cast<size_t>(phase)];
}

// Returns the role that does the work of a phase: "actor", "rollout" ...; "other" if there is none.
inline std::string_view rlPhaseRole(RlPhase phase)
{
    static constexpr std::array<std::string_view, kRlPhases> kRoles{
        "rollout", "reward", "ref",     "actor", "critic", "controller",
        "critic",  "actor",  "rollout", "other", "other"};
    return kRoles[static_cast<size_t>(phase)];
}

// A time that is in several parts counts for the last of them in this order: a pause or a transfer may
// contain gathers and copies.
enum class WeightPart : uint8_t { pause, transfer, gather, reshard, resume, count };

inline constexpr size_t kWeightParts = static_cast<size_t>(WeightPart::count);

// Returns the words of recipes.
inline std::span<const std::string_view> enumNames(WeightPart)
{
    static constexpr std::array<std::string_view, kWeightParts> kNames{"pause", "transfer", "gather",
                                                                       "reshard", "resume"};
    return kNames;
}

} // namespace lockstep
