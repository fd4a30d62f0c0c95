// SPDX-License-Identifier: Apache-2.0
// FieldText: conversion of a session field's value to a line of text and back, e.g. steps as "2, 5, 10-12".
// Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/session/config_value.h"

namespace lockstep {

enum class FieldText : uint8_t {
    text,        // unchanged
    whole,       // one integer, 0 or larger
    numbers,     // "2, 5, 10-12"
    words,       // arguments of a shell command, quoted if needed
    list,        // "cuda, cpu"
    assignments, // NAME=value arguments of a shell command
};

// Parses a line. Returns a null value for an empty line, which means that the field is not set. Error:
// invalid (with a message for the user).
Result<ConfigValue> readFieldText(FieldText kind, std::string_view line);
// Formats a value. Returns "" for a field that is not set.
std::string writeFieldText(FieldText kind, const std::optional<ConfigValue>& value);

// Parses non-negative numbers and inclusive ranges, separated by commas or blanks; at most a million numbers.
// Preserves the order and duplicates. Error: invalid (the message quotes the part that is neither a number
// nor a range).
Result<std::vector<int64_t>> readNumbers(std::string_view line);
// Formats numbers. Writes runs of three or more consecutive numbers as ranges: "2, 5, 10-12".
std::string writeNumbers(const std::vector<int64_t>& numbers);

} // namespace lockstep
