// SPDX-License-Identifier: Apache-2.0
// Hydra overrides, one command-line argument each: key=value, +key=value (add), ++key=value (add or replace),
// ~key (delete). The grammar is that of Hydra 1.3 (OverrideLexer, OverrideParser). An unquoted value may
// contain letters, digits, _ / - \ + . $ % * @ ? | and ':'. Any other value is quoted. Inside quotes, a quote
// is written \" and backslashes before it are doubled. Pure. Thread: any.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/session/config_value.h"

namespace lockstep {

enum class OverridePrefix : uint8_t { none, add, force, remove };

struct HydraOverride {
    OverridePrefix prefix = OverridePrefix::none;
    std::string key;
    std::optional<ConfigValue> value; // nullopt only for a deletion without a value
};

// Returns true for dot-separated names or list indices that are optionally followed by @package.
bool isHydraKey(std::string_view key);
// Returns true if the argument looks like an override: either an optional prefix, a key and '=', or '~' and a
// key.
bool looksLikeOverride(std::string_view word);

// Parses an override. Errors: invalid for a syntax error (with its offset), or for a sweep (a top-level
// comma), which a single run cannot use; unsupported for a function (choice(), range(), int()), which only
// Hydra can evaluate.
Result<HydraOverride> parseHydraOverride(std::string_view word);

// Formats a value for Hydra: booleans as True and False, numbers as spelled, and text unquoted if the grammar
// allows it.
std::string hydraText(const ConfigValue& value);
// Returns the text in quotes even if the grammar does not require them, for values that must remain text,
// such as "true" for nsys.
std::string hydraQuoted(std::string_view text);

} // namespace lockstep
