// SPDX-License-Identifier: Apache-2.0
// Typed reading and writing of structured values in a SessionConfig: hosts and option tables.
#pragma once

#include <span>
#include <string_view>

#include "core/session/session_config.h"
#include "core/session/typed_value.h"

namespace lockstep {

// Returns the known keys in a host's map.
std::span<const std::string_view> hostKeys();
// Reads a list of maps with hostKeys(); other keys are kept as unknown.
Status assign(std::vector<Host>& target, const ConfigValue& value);
ConfigValue valueOf(const std::vector<Host>& hosts);

// Reads a map of option names to scalars. null remains null. Booleans keep their spelling, because nsys takes
// strings.
Status assign(NsightOptions& target, const ConfigValue& value);
ConfigValue valueOf(const NsightOptions& options);

// Copies the value, because any value is valid.
Status assign(ConfigValue& target, const ConfigValue& value);
std::optional<ConfigValue> writtenValue(const ConfigValue& value);

} // namespace lockstep
