// SPDX-License-Identifier: Apache-2.0
// Tool settings for a role whose tool map is missing in verl's YAML. Instead of the map, the YAML has an
// interpolation (reward_model and rollout in 0.6 to 0.7.0 copy the actor's tool_config) or nothing. Hydra
// would replace it with an empty map, which would lack the copied settings and the _target_ from which verl
// creates its object. The map is therefore written completely. Pure. Thread: any.
#pragma once

#include <string>
#include <vector>

#include "core/session/verl_keys.h"

namespace lockstep {

// Returns the value for such a map: the settings (whose keys begin with `node`), the actor's settings that
// the map would hide, and _target_ for each tool. `node` is VerlKey::wholeNode.
struct VerlSetting {
    std::string key;
    ConfigValue value;
};
ConfigValue wholeToolBlock(const SessionConfig& config, VerlSchema schema, Role role, const std::string& node,
                           const std::vector<VerlSetting>& settings);

// Returns the individual settings in a map. Their keys are joined with '.'; keys that begin with '_' are left
// out.
std::vector<VerlSetting> settingsOfMap(std::string_view key, const ConfigValue& map);

} // namespace lockstep
