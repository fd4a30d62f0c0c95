// SPDX-License-Identifier: Apache-2.0
// Reads untrusted YAML text into a ConfigValue tree. The text must be a single document in which all keys are
// text. A merge key (<<) adds the keys of a map, or of a list of maps, that the map does not have itself.
// Duplicate keys, and tags other than those of YAML's own scalars, are not allowed. Thread: any.
#pragma once

#include <string_view>

#include "core/base/result.h"
#include "core/session/config_value.h"

namespace lockstep {

// Limits that are checked before or during reading, so that rejecting text costs no more than reading text
// that is just within the limits.
inline constexpr size_t kYamlMaxBytes = 1 << 20;
inline constexpr size_t kYamlMaxDepth = 40;
inline constexpr size_t kYamlMaxKeyBytes =
    1000; // maximum size of a key as written, including quotes; YAML reads keys of up to 1024 characters
inline constexpr size_t kYamlMaxNodes = 50'000; // counted after expanding aliases
inline constexpr size_t kYamlMaxAliases = 100;

// Parses YAML. Empty text gives a null value. Errors: invalid for text that is not valid UTF-8 or YAML, for a
// duplicate key, or for an exceeded limit. Every message begins with "line L, column C: ".
Result<ConfigValue> readYaml(std::string_view text);

// Parses only the value of one key of a map that is written in block style from the first column on. Null if
// the text has no such key. Locations and errors are those of the whole text. Costs far less than readYaml()
// if the value is a small part of the text.
Result<ConfigValue> readYamlKey(std::string_view text, std::string_view key);

} // namespace lockstep
