// SPDX-License-Identifier: Apache-2.0
// FieldText: how the value of one session field stands in a line of text and is read back, e.g. steps as
// "2, 5, 10-12". Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/session/config_value.h"

namespace lockstep {

enum class FieldText : uint8_t {
    text,        // as it is
    whole,       // one whole number
    numbers,     // "2, 5, 10-12"
    words,       // words of a shell line, quoted where needed
    list,        // "cuda, cpu"
    assignments, // NAME=value words of a shell line
};

// Null for an empty line: the field is not chosen. invalid: what is wrong, for a person.
Result<ConfigValue> readFieldText(FieldText kind, std::string_view line);
// Empty for a field that is not chosen.
std::string writeFieldText(FieldText kind, const std::optional<ConfigValue>& value);

// Numbers from 0, single or as inclusive ranges, separated by commas or blanks; a million at most. Order and
// repetitions stay. invalid: the part that is none.
Result<std::vector<int64_t>> readNumbers(std::string_view line);
// Runs of three and more ascending neighbours as ranges: "2, 5, 10-12".
std::string writeNumbers(const std::vector<int64_t>& numbers);

} // namespace lockstep
