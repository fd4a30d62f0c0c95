// SPDX-License-Identifier: Apache-2.0
// Writes a ConfigValue as YAML that is easy to read and diff: block style, one key per line, short lists in
// brackets. Reading the result with readYaml() gives an equal value. Thread: any.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/session/config_value.h"

namespace lockstep {

// Returns the comment for a key, given the path of the key (keys joined with '.'). The comment is one line
// without '#'; "" = no comment.
using YamlComments = std::function<std::string_view(std::string_view path)>;

// Writes a map as a document. Blank lines separate top-level
// keys whose value is a map. Ends with a line feed.
std::string yamlText(const ConfigValue& map, const YamlComments& comments = {});

// Writes one scalar. It is quoted if an unquoted word would be read as something else.
std::string yamlScalar(const ConfigValue& value);

} // namespace lockstep
