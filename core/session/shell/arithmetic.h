// SPDX-License-Identifier: Apache-2.0
// Evaluates integer arithmetic in $(( )) and (( )) with known values. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace lockstep::shell {

// Returns the value of a variable, or nullopt if it is unknown.
using ValueOf = std::function<std::optional<int64_t>(std::string_view name)>;

// Evaluates an expression of decimal numbers, names, ( ), ?: and the operators || && == != < > <= >= + - * /
// % and !. Returns nullopt for an unknown value, division by zero, overflow, or anything else.
std::optional<int64_t> evaluate(std::string_view expression, const ValueOf& valueOf);

} // namespace lockstep::shell
