// SPDX-License-Identifier: Apache-2.0
// The layout of profiler settings in a verl checkout, detected from its files. Hydra fails on a plain `key=`
// from the wrong layout. It accepts a `++key=` from the wrong layout, but then nothing is recorded. The
// layout must therefore be known before overrides are written.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/session/session_config.h"

namespace lockstep {

struct HostFacts;

// Detects the layout. trainerYaml: verl/trainer/config/ppo_trainer.yaml. profilerYaml:
// verl/trainer/config/profiler/profiler.yaml, or "" if that file does not exist. Errors: notFound if there is
// no known layout, because such a verl (0.4.0 or older) cannot be profiled.
Result<VerlSchema> detectVerlSchema(std::string_view trainerYaml, std::string_view profilerYaml);

// Returns the session's layout, otherwise the layout of the first host's checkout, otherwise head.
VerlSchema schemaOf(const SessionConfig& config, std::span<const HostFacts> facts);

// The number of stages of a role per worker process and step in discrete mode. Each stage writes a report.
struct StageCount {
    int64_t most = 1;     // number of stages including all optional stages
    int64_t required = 1; // number of stages that run in every step
};
// Returns the stages of a role. The actor's worker also runs rollout and ref. In head, this worker has three
// stages (two optional log-prob passes and the update); in older releases, generation is a fourth stage. In
// head, the critic marks each batch of its update, in total criticBatches().
StageCount stagesOf(const SessionConfig& config, VerlSchema schema, Role role);
// Returns the number of mini-batches in the critic's update per step, from the batch sizes and epochs in the
// overrides or verl's defaults.
int64_t criticBatches(const SessionConfig& config);
// Returns the maximum number of stages per worker process and step, added up over all enabled roles, because
// verl may place them in the same process.
int64_t stagesPerStep(const SessionConfig& config, VerlSchema schema);
// Returns the maximum number of capture ranges per worker process. repeat-shutdown must allow that many
// ranges; otherwise the remaining ranges are lost.
int64_t captureRangeCount(const SessionConfig& config, VerlSchema schema);

// Returns true if the role is recorded. This depends on `enable`, or in the old era on the role's ranks. If
// the rollout is not set and rolloutCopies() is true, the rollout follows the actor.
bool isRoleOn(const SessionConfig& config, VerlSchema schema, Role role);
// Returns true if the rollout's block inherits unset values from the actor. This is the case in verl's YAML
// since 0.6 and in VeRL-Omni's main_omni, but not in its diffusion trainer.
bool rolloutCopies(const SessionConfig& config, VerlSchema schema);
// Returns true if the role has its own block in this layout.
bool hasRoleBlock(VerlTrainer trainer, VerlSchema schema, Role role);
// Returns the nsys discrete mode of a role: the role's own setting, otherwise the session's.
bool isNsysDiscrete(const SessionConfig& config, VerlSchema schema, Role role);

// Returns true if the torch tool of a release takes contents, discrete and related settings. In releases up
// to 0.7.0, it takes step_start and step_end instead.
bool hasTorchContents(VerlSchema schema);
// Returns true if a role that is enabled without ranks records rank 0. From 0.6.0 to 0.7.0, nsys and npu then
// record no rank at all (v0.7.0 verl/utils/profiler/nvtx_profile.py:134-138, mstx_profile.py:192-195).
bool recordsRankZero(VerlSchema schema, Tool tool);
// Returns true if the critic passes its profiler settings on. 0.8.0 does not
// (v0.8.0 verl/trainer/ppo/ray_trainer.py:816-823).
bool recordsCritic(const SessionConfig& config, VerlSchema schema);
// Returns true if the trainer that the command starts also starts the profilers of the rollout engines.
// 0.7.1: only main_ppo. 0.8.0: main_ppo and fully_async (v0.8.0 ppo/ray_trainer.py:1469; not
// main_ppo_sync.py:1178-1183). 0.9.0: not the V1 trainer (v0.9.0 ppo/v1/trainer_base.py:1287-1291), which is
// the default. one_step_off never does.
bool startsEngines(const SessionConfig& config, VerlSchema schema);
// Returns true if releases of this layout support the tool. Lockstep capture works with all releases.
bool hasTool(VerlTrainer trainer, VerlSchema schema, Tool tool);
// Returns true only for verl newer than 0.9.0, which has relocate_results and finish_hook_*.
bool hasHooks(VerlTrainer trainer, VerlSchema schema);

// The verl releases that read a profiler setting, for messages about keys that a layout does not have. Hydra
// accepts a key from a different era after `++`, but verl does not read it.

// Returns true if the layout reads the key, i.e. if it is one of verlKeys(), an nsys option, or Hydra's
// _target_.
bool isVerlKeyRead(VerlTrainer trainer, VerlSchema schema, std::string_view key);
// Returns a sentence about a profiler key that this layout does not read. The sentence states the releases
// that read the key, otherwise the most similar key in the layout.
std::string unreadVerlKeyReason(VerlTrainer trainer, VerlSchema schema, std::string_view key);

// Returns the layout that reads the most profiler keys among the overrides, or nullopt if no layout reads
// more of them than the newest layout.
std::optional<VerlSchema> schemaOfOverrides(VerlTrainer trainer, std::span<const std::string> words);

} // namespace lockstep
