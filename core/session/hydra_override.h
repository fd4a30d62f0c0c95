// SPDX-License-Identifier: Apache-2.0
// Hydra overrides, one command-line word each: key=value, +key=value (add), ++key=value (add or replace),
// ~key (delete). The grammar is Hydra 1.3's (OverrideLexer, OverrideParser): an unquoted value takes letters,
// digits, _ / - \ + . $ % *
// @ ? | and ':'; anything else is quoted, where a quote is written \" and backslashes before it double. Pure;
// any thread.
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
    std::optional<ConfigValue> value; // empty only for a deletion without one
};

// Dot-separated names, or whole numbers as list indexes; may end in @package.
bool isHydraKey(std::string_view key);
// The word is an override by its look: a prefix or not, a key, '='; or '~' and a key.
bool looksLikeOverride(std::string_view word);

// invalid: not of the grammar, with the offset, or a sweep (a top-level comma), which a single run refuses.
// unsupported: functions (choice(), range(), int()), which only Hydra works out.
Result<HydraOverride> parseHydraOverride(std::string_view word);

// The value as Hydra reads it back: True and False, numbers as spelled, text bare where the grammar allows
// it.
std::string hydraText(const ConfigValue& value);
// Text in double quotes always: for values that must stay text, such as nsys' "true".
std::string hydraQuoted(std::string_view text);

} // namespace lockstep
