// SPDX-License-Identifier: Apache-2.0
// SessionField is one named setting of a SessionConfig. The YAML reader, the YAML writer, the form and the
// findings share this table of fields. The `field` of a finding is a path in this table. Immutable. Thread:
// any.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "core/base/result.h"
#include "core/session/session_config.h"
#include "core/session/typed_value.h"

namespace lockstep {

struct SessionField {
    std::string path;    // keys joined by '.', e.g. "roles.actor.ranks"
    std::string comment; // one line for the user with the meaning, unit and choices
    // Sets the field; null clears it. Errors: invalid for a value of the wrong type; in that case the config
    // is unchanged.
    std::function<Status(SessionConfig&, const ConfigValue&)> read;
    // Returns the value, or nullopt if the field is not set.
    std::function<std::optional<ConfigValue>(const SessionConfig&)> write;
};

// Returns all fields in the order of a session file.
std::span<const SessionField> sessionFields();
// Returns the field with this path, or nullptr.
const SessionField* findSessionField(std::string_view path);
// Returns the comment for a group of fields ("roles", "torch.schedule"), or "".
std::string_view sessionSectionComment(std::string_view path);

// Sets one field. Errors: notFound if there is no such field; invalid if the value is not valid for it.
Status setSessionField(SessionConfig& config, std::string_view path, const ConfigValue& value);

// Structured values in a SessionConfig: hosts and option tables.

// Returns the known keys in a host's map.
std::span<const std::string_view> hostKeys();
// Reads a list of maps with hostKeys(); other keys are kept as unknown.
Status assign(std::vector<Host>& target, const ConfigValue& value);
ConfigValue valueOf(const std::vector<Host>& hosts);

// Reads a list of servers: maps with serverKeys(), or just the URL. Other keys are kept as unknown. Errors:
// also invalid for a URL that is not http(s) or that contains credentials.
std::span<const std::string_view> serverKeys();
Status assign(std::vector<SessionServer>& target, const ConfigValue& value);
ConfigValue valueOf(const std::vector<SessionServer>& servers);

// Reads a map of option names to scalars. null remains null. Booleans keep their spelling, because nsys takes
// strings.
Status assign(NsightOptions& target, const ConfigValue& value);
ConfigValue valueOf(const NsightOptions& options);

// Copies the value, because any value is valid.
Status assign(ConfigValue& target, const ConfigValue& value);
std::optional<ConfigValue> writtenValue(const ConfigValue& value);

} // namespace lockstep
