// SPDX-License-Identifier: Apache-2.0
// Writing a ConfigValue as YAML that a person can read and diff: block style, one key a line, short lists in
// brackets. readYaml() of the result equals the value. Any thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/session/config_value.h"

namespace lockstep {

// Comment of a map's key, by its keys joined with '.'; "" for none. One line, without '#'.
using YamlComments = std::function<std::string_view(std::string_view path)>;

// A map as a document; keys of the top level stand apart when their value is a map. Ends with a line feed.
std::string yamlText(const ConfigValue& map, const YamlComments& comments = {});

// One scalar, quoted where a plain word would be read as something else.
std::string yamlScalar(const ConfigValue& value);

} // namespace lockstep
