// SPDX-License-Identifier: Apache-2.0
// SessionField: one named setting of a SessionConfig. The list of fields is the one table that the YAML
// reader, the YAML writer, the form and the findings share: a finding's `field` is a path of this table.
// Immutable; any thread.
#pragma once

#include <functional>
#include <span>

#include "core/base/result.h"
#include "core/session/session_config.h"

namespace lockstep {

struct SessionField {
    std::string path;    // keys joined by '.', e.g. "roles.actor.ranks"
    std::string comment; // one line for people: meaning, unit, choices
    // invalid when the value is of the wrong type; the config is then unchanged. null empties the field.
    std::function<Status(SessionConfig&, const ConfigValue&)> read;
    // Empty while the field is not chosen.
    std::function<std::optional<ConfigValue>(const SessionConfig&)> write;
};

// In the order in which a session file shows them.
std::span<const SessionField> sessionFields();
// The field of that path, or nullptr.
const SessionField* findSessionField(std::string_view path);
// The comment above a group of fields ("roles", "torch.schedule"), or "".
std::string_view sessionSectionComment(std::string_view path);

// Sets one field from a form: notFound when there is no such field, invalid when the value does not fit.
Status setSessionField(SessionConfig& config, std::string_view path, const ConfigValue& value);

} // namespace lockstep
