// SPDX-License-Identifier: Apache-2.0
// Tool settings of a role whose map verl's YAML does not have: an interpolation stands there (reward_model
// and rollout of 0.6 to 0.7.0 copy the actor's tool_config), or nothing. Hydra puts an empty map in its
// place, without the _target_ that verl makes its object from and without what was copied, so such a map is
// written whole. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "core/session/verl_keys.h"

namespace lockstep {

// The value of such a map: settings (their keys begin with `node`), what they hide of the actor's, and
// _target_ for each tool. node is VerlKey::wholeNode.
struct VerlSetting {
    std::string key;
    ConfigValue value;
};
ConfigValue wholeToolBlock(const SessionConfig& config, VerlSchema schema, Role role, const std::string& node,
                           const std::vector<VerlSetting>& settings);

// Single settings of a map: keys joined by '.', without those that begin with '_'. An empty map gives none.
std::vector<VerlSetting> settingsOfMap(std::string_view key, const ConfigValue& map);

} // namespace lockstep
