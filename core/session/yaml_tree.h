// SPDX-License-Identifier: Apache-2.0
// Reading YAML text into a ConfigValue tree, safely: the text may come from anyone. One document, text keys,
// no duplicate or merge keys, no tags beyond YAML's own scalars. Any thread.
#pragma once

#include <string_view>

#include "core/base/result.h"
#include "core/session/config_value.h"

namespace lockstep {

// Bounds checked before or while the text is read, so that a refusal costs no more than reading this much.
inline constexpr size_t kYamlMaxBytes = 1 << 20;
inline constexpr size_t kYamlMaxDepth = 40;
inline constexpr size_t kYamlMaxKeyBytes =
    1000; // of a key as written back, quoted: YAML reads keys up to 1024
inline constexpr size_t kYamlMaxNodes = 50'000; // counted after aliases were replaced by what they stand for
inline constexpr size_t kYamlMaxAliases = 100;

// invalid: not valid UTF-8 or YAML, duplicate key, a bound passed. Every message begins with "line L, column
// C: ". An empty text gives a null value.
Result<ConfigValue> readYaml(std::string_view text);

} // namespace lockstep
