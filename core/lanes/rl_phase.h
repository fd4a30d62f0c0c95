// SPDX-License-Identifier: Apache-2.0
// RlPhase: classifies ranges as phases of a reinforcement-learning step. Only the range names used by verl,
// VeRL-Omni and NeMo RL are recognized; an unknown name is not a phase. Used by the phase lane and the step
// analyses. Pure.
#pragma once

#include <cstdint>
#include <optional>
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
    waiting, // ranges spent waiting: switch_wait, wait_for_enough_samples
    other,   // known names without a phase of their own: checkpoints, validation, start and stop of the
             // profiler
    count
};

inline constexpr size_t kRlPhases = static_cast<size_t>(RlPhase::count);

// Returns the column name: "generation", "old_log_prob", "adv" ...
std::string_view rlPhaseName(RlPhase phase);
// Returns the range names that belong to the phase, for the documentation of the column.
std::string_view rlPhaseDoc(RlPhase phase);

// Classifies a range name, case-insensitively, in a process with this role ("" = unknown): train_batch in a
// critic is update_critic, and compute_log_prob in a reference model is ref. Names in NeMo RL have the form
// WORKER/METHOD.
std::optional<RlPhase> rlPhaseOf(std::string_view name, std::string_view role);

} // namespace lockstep
