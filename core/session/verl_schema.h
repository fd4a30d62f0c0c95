// Which layout of profiler settings a verl checkout has, told from its own files. A plain `key=` of the wrong layout
// stops Hydra; a `++key=` of the wrong layout is accepted and records nothing: so find out before writing overrides.
#pragma once

#include <span>
#include <string_view>

#include "core/base/result.h"
#include "core/session/session_config.h"

namespace lockstep {

struct HostFacts;

// trainerYaml: verl/trainer/config/ppo_trainer.yaml. profilerYaml: verl/trainer/config/profiler/profiler.yaml, "" where
// there is none. notFound: neither layout, so this verl (0.4.0 or older) cannot be profiled.
Result<VerlSchema> detectVerlSchema(std::string_view trainerYaml, std::string_view profilerYaml);

// The session's own choice, else what the first host's checkout has, else head.
VerlSchema schemaOf(const SessionConfig& config, std::span<const HostFacts> facts);

// Stages that one worker process runs per step in discrete mode, each a report. Counts the actor, rollout and ref of a
// shared worker as four (generate or train_batch, two log-prob passes, update), an enabled critic as two more and an
// enabled reward model as one more, because verl may place them in the same process.
int64_t stagesPerStep(const SessionConfig& config, VerlSchema schema);
// Capture ranges one worker process records: what repeat-shutdown must allow, or later ones are lost.
int64_t captureRangeCount(const SessionConfig& config, VerlSchema schema);

// The role records with these settings: `enable`, or in the old era ranks; the rollout follows the actor where unset.
bool isRoleOn(const SessionConfig& config, VerlSchema schema, Role role);
// The role has a block of its own in this layout.
bool hasRoleBlock(Framework framework, VerlSchema schema, Role role);
// nsys discrete mode of that role: its own word, else the session's.
bool isNsysDiscrete(const SessionConfig& config, Role role);

} // namespace lockstep
