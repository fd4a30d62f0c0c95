// SPDX-License-Identifier: Apache-2.0
// Shell completion scripts for lockstep, generated from the option table, the help text and the names of
// analyses.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

enum class Shell : uint8_t { bash, zsh, fish };

std::optional<Shell> shellNamed(std::string_view name);

// Returns the possible values of an option; empty for files, folders and free text.
std::vector<std::string> optionChoices(std::string_view option);

// Returns the first sentence of an option's description in --help; empty if there is none.
std::string optionSummary(std::string_view option);

std::string completionScript(Shell shell);

} // namespace lockstep
