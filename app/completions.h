// SPDX-License-Identifier: Apache-2.0
// What shells complete on lockstep's command line, made of the table of options, the help and the names of
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

// The words that an option's value can be; empty = a file, a folder, or what the user alone knows.
std::vector<std::string> optionChoices(std::string_view option);

// What --help says of an option, up to its first stop; empty = nothing.
std::string optionSummary(std::string_view option);

std::string completionScript(Shell shell);

} // namespace lockstep
