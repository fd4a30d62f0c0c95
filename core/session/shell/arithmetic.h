// SPDX-License-Identifier: Apache-2.0
// Whole-number arithmetic of $(( )) and (( )), as far as the values are known. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::shell {

// Value of a variable as text; empty where it is not known.
using ValueOf = std::function<std::optional<std::string>(std::string_view name)>;

// Empty: a value is not known, an assignment, division by zero, overflow, or no arithmetic.
std::optional<int64_t> evaluate(std::string_view expression, const ValueOf& valueOf);

} // namespace lockstep::shell
