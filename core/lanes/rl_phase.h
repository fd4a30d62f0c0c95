// SPDX-License-Identifier: Apache-2.0
// RlPhase: what part of a reinforcement-learning step a range is, told by the names that verl, VeRL-Omni and
// NeMo RL give their ranges, and by nothing else: an unknown name is no phase. Read by the lane of phases and
// the step analyses. Pure.
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
    waiting, // ranges that say that nothing is done: switch_wait, wait_for_enough_samples
    other,   // known and none of these: checkpoints, validation, the profiler's own start and stop
    count
};

inline constexpr size_t kRlPhases = static_cast<size_t>(RlPhase::count);

// The column's word: "generation", "old_log_prob", "adv" ...
std::string_view rlPhaseName(RlPhase phase);
// What the phase is and which names make a range one, for the column's doc.
std::string_view rlPhaseDoc(RlPhase phase);

// Of a range's name, any case, in a process of this role ("" = unknown): a critic's train_batch updates the
// critic, a reference's compute_log_prob is the reference's. NeMo RL's names are WORKER/METHOD.
std::optional<RlPhase> rlPhaseOf(std::string_view name, std::string_view role);

} // namespace lockstep
