// SPDX-License-Identifier: Apache-2.0
// The values that apply to settings which a session does not set: those of the framework, the tool or
// Lockstep. The form shows them. Pure. Thread: any.
#pragma once

#include <optional>
#include <string_view>

#include "core/session/session_config.h"

namespace lockstep {

// Returns the value that applies if the session does not set the field `path` of session_fields.h. A role's
// field is inherited from the session, or from the actor. Returns nullopt if there is no such value, e.g. for
// the steps, or if it is not known, e.g. because it depends on the release.
std::optional<ConfigValue> fieldDefault(const SessionConfig& config, size_t era, std::string_view path);

// Returns the nsys options that the framework or Lockstep passes for the workers, or for the controller,
// unless the session sets them.
NsightOptions frameworkNsysOptions(const SessionConfig& config, bool isController);

} // namespace lockstep
