// SPDX-License-Identifier: Apache-2.0
// verl's profiler settings, key by key: one table per layout. Shared by the plan and the imports, so that an
// imported setting is planned unchanged. Keys and types are from verl's own YAML files in each release.
// Immutable. Thread: any.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/session/session_config.h"

namespace lockstep {

struct VerlKey {
    std::string key;
    std::string field; // path of the corresponding SessionConfig field in session_fields.h
    // The map that contains the key, if verl's YAML has an interpolation or nothing at the position of the
    // map. Hydra would create an empty map without _target_ there, so the complete map is written; see
    // verl_settings.cpp.
    std::string wholeNode;
    // Sets the field. Errors: invalid for a value of the wrong type; in that case the config is unchanged.
    std::function<Status(SessionConfig&, const ConfigValue&)> read;
    // Returns the value, or nullopt if the session does not set it.
    std::function<std::optional<ConfigValue>(const SessionConfig&)> write;
};

// Returns the keys in a layout, in the order of a planned command line.
std::span<const VerlKey> verlKeys(VerlTrainer trainer, VerlSchema schema);
const VerlKey* findVerlKey(VerlTrainer trainer, VerlSchema schema, std::string_view key);

// Returns "global_profiler.global_tool_config.nsys.worker_nsight_options." or the old form of this prefix.
std::string_view workerOptionsPrefix(VerlSchema schema);
std::string_view controllerOptionsPrefix(VerlSchema schema);
// Returns true if verl's YAML in this layout contains the nsys option, so that a plain `key=` works. Other
// options require a plus.
bool isVerlNsysOption(std::string_view option, bool isWorker);

// Returns the key of a role's block, e.g. "actor_rollout_ref.actor.profiler", or "" if the layout has none.
std::string_view roleBlockKey(VerlTrainer trainer, VerlSchema schema, Role role);
// Returns true for keys that concern profiling, even if they are unknown.
bool isProfilerKey(std::string_view key);

// Return the torch or npu settings that apply to a role: the role's own settings, otherwise the session's if
// the role is explicitly enabled.
const TorchOptions& torchOf(const SessionConfig& config, VerlSchema schema, Role role);
const NpuOptions& npuOf(const SessionConfig& config, VerlSchema schema, Role role);

} // namespace lockstep
