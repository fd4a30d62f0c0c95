// SPDX-License-Identifier: Apache-2.0
// Which layout of profiler settings a verl checkout has, told from its own files. A plain `key=` of the wrong
// layout stops Hydra; a `++key=` of the wrong layout is accepted and records nothing: so find out before
// writing overrides.
#pragma once

#include <span>
#include <string_view>

#include "core/base/result.h"
#include "core/session/session_config.h"

namespace lockstep {

struct HostFacts;

// trainerYaml: verl/trainer/config/ppo_trainer.yaml. profilerYaml:
// verl/trainer/config/profiler/profiler.yaml, "" where there is none. notFound: neither layout, so this verl
// (0.4.0 or older) cannot be profiled.
Result<VerlSchema> detectVerlSchema(std::string_view trainerYaml, std::string_view profilerYaml);

// The session's own choice, else what the first host's checkout has, else head.
VerlSchema schemaOf(const SessionConfig& config, std::span<const HostFacts> facts);

// Stages of one role that one of its worker processes runs in a step of discrete mode, each a report.
struct StageCount {
    int64_t most = 1;    // with everything that a configuration may switch on
    int64_t certain = 1; // of them, those that every step runs
};
// The actor's worker runs rollout and ref too. At head it has three stages (two log-prob passes, of which a
// configuration may do without both, and the update); before, generation is a fourth. Head's critic marks the
// batches of its update, as many as criticBatches().
StageCount stagesOf(const SessionConfig& config, VerlSchema schema, Role role);
// Mini-batches of the critic's update in a step: what the overrides say about batch sizes and epochs, else
// verl's own defaults.
int64_t criticBatches(const SessionConfig& config);
// Stages that one worker process runs per step at most, of all roles that are on, because verl may place them
// in the same process.
int64_t stagesPerStep(const SessionConfig& config, VerlSchema schema);
// Capture ranges one worker process records at most: what repeat-shutdown must allow, or later ones are lost.
int64_t captureRangeCount(const SessionConfig& config, VerlSchema schema);

// The role records with these settings: `enable`, or in the old era ranks; the rollout follows the actor
// where unset and rolloutCopies().
bool isRoleOn(const SessionConfig& config, VerlSchema schema, Role role);
// What the rollout's block does not say is the actor's: so in verl's YAML from 0.6 on, and in that of
// VeRL-Omni's main_omni, not in that of its diffusion trainer.
bool rolloutCopies(const SessionConfig& config, VerlSchema schema);
// The role has a block of its own in this layout.
bool hasRoleBlock(VerlTrainer trainer, VerlSchema schema, Role role);
// nsys discrete mode of that role: its own word, else the session's.
bool isNsysDiscrete(const SessionConfig& config, VerlSchema schema, Role role);

// What a release takes from the torch tool: contents, discrete and their kin, or up to 0.7.0 step_start and
// step_end.
bool hasTorchContents(VerlSchema schema);
// A release of this layout knows the tool. capture is Lockstep's own and works with each.
bool hasTool(VerlTrainer trainer, VerlSchema schema, Tool tool);
// verl newer than 0.9.0 alone: relocate_results and finish_hook_*.
bool hasHooks(VerlTrainer trainer, VerlSchema schema);

} // namespace lockstep
