// SPDX-License-Identifier: Apache-2.0
// Runs a shell text in a real bash that prints the arguments of a command instead of running it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::test {

struct BashArguments {
    std::vector<std::string> argv;        // of the command, including its name
    std::vector<std::string> environment; // "NAME=value" of the requested variables
};

// Returns true if `bash -n` accepts the text.
bool bashAccepts(std::string_view script);

// The text must run a command named `program`. Returns nothing if bash fails. The program is found in PATH as
// a small script that prints its own arguments, NUL-separated, and the named variables of its environment.
std::optional<BashArguments> bashArguments(std::string_view script, const std::string& program,
                                           const std::vector<std::string>& variables = {});

} // namespace lockstep::test
