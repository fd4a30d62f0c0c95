// SPDX-License-Identifier: Apache-2.0
// Typed reading and writing of the parts of a SessionConfig that are more than one scalar or list: hosts,
// option tables.
#pragma once

#include <span>
#include <string_view>

#include "core/session/session_config.h"
#include "core/session/typed_value.h"

namespace lockstep {

// Keys of a host's map that this program knows.
std::span<const std::string_view> hostKeys();
// A list of maps with hostKeys(); other keys are kept as unknown.
Status assign(std::vector<Host>& target, const ConfigValue& value);
ConfigValue valueOf(const std::vector<Host>& hosts);

// A map of option names to scalars; null stays null. Booleans keep their spelling, since nsys takes strings.
Status assign(NsightOptions& target, const ConfigValue& value);
ConfigValue valueOf(const NsightOptions& options);

// The value itself; anything fits.
Status assign(ConfigValue& target, const ConfigValue& value);
std::optional<ConfigValue> writtenValue(const ConfigValue& value);

} // namespace lockstep
