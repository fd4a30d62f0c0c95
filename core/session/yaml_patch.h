// SPDX-License-Identifier: Apache-2.0
// Writing changed values into a YAML text that a person wrote: the lines of what did not change stay as they
// are, with their comments, order and layout. Any thread.
#pragma once

#include <string>
#include <string_view>

#include "core/session/config_value.h"
#include "core/session/yaml_text.h"

namespace lockstep {

// source as readYaml() reads it gives `before` (keys that say null may be missing there, and keys that both
// trees have need not be in it); the result gives `after`, with what was added in `after`'s order and
// `comments`. A comment beside a value that goes becomes a line of its own, unless it is one of `comments`.
// Not sure for every YAML (aliases, keys on one line): the caller reads the result back, and checks
// keepsComments().
std::string patchedYaml(std::string_view source, const ConfigValue& before, const ConfigValue& after,
                        const YamlComments& comments);

// Every comment of `source` stands in `text` too, those in `comments` not counted.
bool keepsComments(std::string_view source, std::string_view text, const ConfigValue& before,
                   const YamlComments& comments);
// The comments of `source`, one a line, those in `comments` not counted.
std::string commentLines(std::string_view source, const ConfigValue& before, const YamlComments& comments);

} // namespace lockstep
