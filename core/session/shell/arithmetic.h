// SPDX-License-Identifier: Apache-2.0
// Evaluates integer arithmetic in $(( )) and (( )) with known values. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::shell {

// Returns the value of a variable as text, or nullopt if the value is unknown.
using ValueOf = std::function<std::optional<std::string>(std::string_view name)>;

// Evaluates an expression. Returns nullopt for an unknown value, an assignment, division by zero, overflow or
// invalid syntax.
std::optional<int64_t> evaluate(std::string_view expression, const ValueOf& valueOf);

} // namespace lockstep::shell
