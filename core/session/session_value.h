// Typed reading and writing of the parts of a SessionConfig that are more than one scalar or list: hosts,
// option tables.
#pragma once

#include "core/session/session_config.h"
#include "core/session/typed_value.h"

namespace lockstep {

// A list of maps {name, address, gpus, agent_folder}; other keys are kept as unknown.
Result<bool> assign(std::vector<Host>& target, const ConfigValue& value);
ConfigValue valueOf(const std::vector<Host>& hosts);

// A map of option names to scalars; null stays null. Booleans keep their spelling, since nsys takes strings.
Result<bool> assign(NsightOptions& target, const ConfigValue& value);
ConfigValue valueOf(const NsightOptions& options);

// The value itself; anything fits.
Result<bool> assign(ConfigValue& target, const ConfigValue& value);
std::optional<ConfigValue> writtenValue(const ConfigValue& value);

} // namespace lockstep
