// SPDX-License-Identifier: Apache-2.0
// Converts a session's profiler settings to Hydra overrides for verl, and back. Both directions use
// verl_keys.h.
#pragma once

#include <string>
#include <vector>

#include "core/session/hydra_override.h"
#include "core/session/session_config.h"

namespace lockstep {

// Returns the overrides in the order of verl_keys.h, then nsys options, then the session's other overrides.
// New layouts get `++`, which works whether or not the key exists. Old layouts get plain keys, except for
// nsys options that are missing in the YAML of the layout. Maps that are missing in that YAML are written
// completely; see wholeToolBlock(). If the session does not set capture-range-end, it is computed from
// steps and stages. In the new era it is always computed, in the old era only if verl's own value, 6 x steps,
// is too small.
std::vector<std::string> verlOverrides(const SessionConfig& config, VerlSchema schema);

// Returns the computed capture-range-end, e.g. "repeat-shutdown:12", or nullopt if nothing is recorded with
// nsys.
std::optional<std::string> computedCaptureRangeEnd(const SessionConfig& config, VerlSchema schema);

// Imports one setting into the session. Returns false if the layout does not have the key. Errors: invalid if
// the value is not valid for the key.
Result<bool> importVerlSetting(SessionConfig& config, VerlSchema schema, std::string_view key,
                               const ConfigValue& value);

// If no field sets the tool, returns the last override, argument or variable that selects a tool, as written,
// e.g. "++global_profiler.tool=torch" in the other overrides. Otherwise returns nullopt.
std::optional<std::string> toolFromArguments(const SessionConfig& config);

// Returns the number of rollout ranks. It is taken from verl's fully asynchronous trainer (rollout.nnodes *
// n_gpus_per_node), otherwise from a standalone rollout (actor_rollout_ref.rollout.nnodes above 0), otherwise
// from the trainer. Returns nullopt if the session specifies none of these.
std::optional<int64_t> rolloutWorldSize(const SessionConfig& config);

// Completes an import. Drops values that are equal to a default of the session (a role's tool that equals the
// session's tool, the computed capture-range-end). Moves torch settings that all enabled roles have in common
// to the session.
void normalizeVerlSettings(SessionConfig& config, VerlSchema schema);

} // namespace lockstep
