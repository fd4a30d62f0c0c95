// SPDX-License-Identifier: Apache-2.0
// The profiler settings of a session as Hydra overrides for verl, and back. Both directions share
// verl_keys.h.
#pragma once

#include <string>
#include <vector>

#include "core/session/hydra_override.h"
#include "core/session/session_config.h"

namespace lockstep {

// Overrides in the order of verl_keys.h, then nsys options, then the session's other overrides. New layouts
// get `++` (works whether or not the key is there), old ones plain keys but for nsys options that their YAML
// lacks. Maps that the YAML does not have are written whole, see verl_tool_blocks.h. capture-range-end is
// worked out from steps and stages unless the session names it: always in the new era, in the old one where
// verl's own 6 x steps is too few.
std::vector<std::string> verlOverrides(const SessionConfig& config, VerlSchema schema);

// The computed capture-range-end, e.g. "repeat-shutdown:12"; empty where nothing is recorded with nsys.
std::optional<std::string> computedCaptureRangeEnd(const SessionConfig& config, VerlSchema schema);

// Takes one setting into the session. false when the layout does not have the key. invalid when the value
// does not fit.
Result<bool> takeVerlSetting(SessionConfig& config, VerlSchema schema, std::string_view key,
                             const ConfigValue& value);

// Where no field names a tool: the override, word or variable that chooses one all the same, as written, e.g.
// "++global_profiler.tool=torch" among the other overrides. The last of several; empty where none does.
std::optional<std::string> toolElsewhere(const SessionConfig& config);

// Returns the number of rollout ranks: from verl's fully asynchronous trainer (rollout.nnodes *
// n_gpus_per_node), a standalone rollout (actor_rollout_ref.rollout.nnodes above 0), else from the trainer.
// nullopt if the session does not specify any.
std::optional<int64_t> rolloutWorldSize(const SessionConfig& config);

// After the last setting: drops what repeats a default of the session (a role's tool equal to the session's,
// the computed capture-range-end), lifts torch settings that all enabled roles share to the session.
void settleVerlSettings(SessionConfig& config, VerlSchema schema);

} // namespace lockstep
