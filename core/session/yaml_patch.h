// SPDX-License-Identifier: Apache-2.0
// Applies changed values to YAML text written by the user. Lines with unchanged values keep their comments,
// order and layout. Thread: any.
#pragma once

#include <string>
#include <string_view>

#include "core/session/config_value.h"
#include "core/session/yaml_text.h"

namespace lockstep {

// Patches `source`, for which readYaml() gives `before`. Keys with null may be missing in `before`, and keys
// that are in both trees do not have to be in the text. For the result, readYaml() gives `after`, with
// additions in the order of `after` and with `comments`. A comment next to a removed value becomes a separate
// line unless it is one of `comments`. The result may be wrong for some YAML (aliases, several keys on one
// line), so the caller must read the result back and check preservesComments().
std::string patchedYaml(std::string_view source, const ConfigValue& before, const ConfigValue& after,
                        const YamlComments& comments);

// Returns true if `text` contains every comment in `source`, except those in `comments`.
bool preservesComments(std::string_view source, std::string_view text, const ConfigValue& before,
                       const YamlComments& comments);
// Returns the comments in `source`, one per line, except those in `comments`.
std::string commentLines(std::string_view source, const ConfigValue& before, const YamlComments& comments);

} // namespace lockstep
