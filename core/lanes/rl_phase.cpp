// SPDX-License-Identifier: Apache-2.0
#include "core/lanes/rl_phase.h"

#include <algorithm>
#include <array>
#include <string>

#include "core/base/text.h"

namespace lockstep {

namespace {

struct PhaseName {
    std::string_view name; // in lower case
    RlPhase phase;
};

// Ranges of verl's trainer (marked_timer) and worker stages from version 0.4 to the current main branch, and
// NeMo RL's timers.
constexpr std::array<PhaseName, 48> kPhaseNames{{
    {"gen", RlPhase::generation},
    {"generate", RlPhase::generation},
    {"generate_async", RlPhase::generation},
    {"generate_sequences", RlPhase::generation},
    {"rollout_generate", RlPhase::generation},
    {"generation", RlPhase::generation},
    {"exposed_generation", RlPhase::generation},
    {"reward", RlPhase::reward},
    {"compute_rm_score", RlPhase::reward},
    {"reward_calculation", RlPhase::reward},
    {"ref", RlPhase::ref},
    {"role.refpolicy", RlPhase::ref},
    {"refpolicy", RlPhase::ref},
    {"ref_compute_log_prob", RlPhase::ref},
    {"compute_ref_log_prob", RlPhase::ref},
    {"old_log_prob", RlPhase::oldLogProb},
    {"actor_compute_log_prob", RlPhase::oldLogProb},
    {"compute_log_prob", RlPhase::oldLogProb},
    {"policy_and_reference_logprobs", RlPhase::oldLogProb},
    {"values", RlPhase::values},
    {"compute_values", RlPhase::values},
    {"critic_compute_values", RlPhase::values},
    {"adv", RlPhase::advantage},
    {"update_critic", RlPhase::updateCritic},
    {"critic_update", RlPhase::updateCritic},
    {"update_actor", RlPhase::updateActor},
    {"actor_update", RlPhase::updateActor},
    {"train_batch", RlPhase::updateActor},
    {"policy_training", RlPhase::updateActor},
    {"update_weights", RlPhase::weightSync},
    {"sync_rollout_weights", RlPhase::weightSync},
    {"param_sync", RlPhase::weightSync},
    {"switch_to_trainer", RlPhase::weightSync},
    {"switch_to_rollout", RlPhase::weightSync},
    {"weight_sync", RlPhase::weightSync},
    {"prepare_for_generation/transfer_and_update_weights", RlPhase::weightSync},
    {"switch_wait", RlPhase::waiting},
    {"wait_for_enough_samples", RlPhase::waiting},
    {"idle/buffer_starvation", RlPhase::waiting},
    {"idle/refit_bubble", RlPhase::waiting},
    {"save_checkpoint", RlPhase::other},
    {"checkpointing", RlPhase::other},
    {"testing", RlPhase::other},
    {"start_profile", RlPhase::other},
    {"stop_profile", RlPhase::other},
    {"dump_rollout_generations", RlPhase::other},
    {"data_processing", RlPhase::other},
    {"training_prep", RlPhase::other},
}};

bool containsPart(std::string_view text, std::string_view part)
{
    return text.find(part) != text.npos;
}

// Parses "dtensor_policy_worker_v2/train". NeMo RL spells the worker of the engine "genertion".
std::optional<RlPhase> nemoPhaseOf(std::string_view worker, std::string_view method)
{
    if (containsPart(worker, "value_worker")) {
        if (method == "train") return RlPhase::updateCritic;
        if (method == "get_values") return RlPhase::values;
    }
    if (containsPart(worker, "policy_worker")) {
        if (method == "train") return RlPhase::updateActor;
        if (method == "get_logprobs") return RlPhase::oldLogProb;
        if (method == "get_reference_policy_logprobs") return RlPhase::ref;
        if (method == "generate") return RlPhase::generation;
    }
    const bool isEngine = containsPart(worker, "genertion") || containsPart(worker, "generation_worker");
    if (isEngine && method.starts_with("generate")) return RlPhase::generation;
    const bool isWorker = isEngine || containsPart(worker, "worker");
    if (isWorker && containsPart(method, "update_weight")) return RlPhase::weightSync;
    return {};
}

} // namespace

std::string_view rlPhaseName(RlPhase phase)
{
    constexpr std::array<std::string_view, kRlPhases> kNames{
        "generation",    "reward",       "ref",         "old_log_prob", "values", "adv",
        "update_critic", "update_actor", "weight_sync", "waiting",      "other"};
    return kNames[static_cast<size_t>(phase)];
}

std::string_view rlPhaseDoc(RlPhase phase)
{
    constexpr std::array<std::string_view, kRlPhases> kDocs{
        "gen, generate, generate_async, generate_sequences, rollout_generate, NeMo RL's .../generate",
        "reward, compute_rm_score, reward_calculation",
        "ref, ref_compute_log_prob, compute_ref_log_prob, a reference's compute_log_prob",
        "old_log_prob, actor_compute_log_prob, compute_log_prob, NeMo RL's policy_and_reference_logprobs",
        "values, compute_values, critic_compute_values",
        "adv",
        "update_critic, critic_update, a critic's train_batch, NeMo RL's value_worker/train",
        "update_actor, actor_update, train_batch, policy_training, NeMo RL's policy_worker/train",
        "update_weights, sync_rollout_weights, param_sync, switch_to_trainer, switch_to_rollout, weight_sync",
        "switch_wait, wait_for_enough_samples, idle/buffer_starvation, idle/refit_bubble",
        "save_checkpoint, testing, start_profile, stop_profile, data_processing and the like"};
    return kDocs[static_cast<size_t>(phase)];
}

std::optional<RlPhase> rlPhaseOf(std::string_view name, std::string_view role)
{
    const std::string lower = lowerAscii(name);
    const auto found = std::ranges::find(kPhaseNames, lower, &PhaseName::name);
    if (found != kPhaseNames.end()) {
        if (lower == "train_batch" && role == "critic") return RlPhase::updateCritic;
        if (lower == "compute_log_prob" && role == "ref") return RlPhase::ref;
        return found->phase;
    }
    const size_t slash = lower.rfind('/');
    if (slash == lower.npos) return {};
    return nemoPhaseOf(std::string_view(lower).substr(0, slash), std::string_view(lower).substr(slash + 1));
}

} // namespace lockstep
