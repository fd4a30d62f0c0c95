// SPDX-License-Identifier: Apache-2.0
// Runs a shell text through a real bash in which the words of a command are printed instead of run.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::test {

struct BashWords {
    std::vector<std::string> argv;        // of the command, its name first
    std::vector<std::string> environment; // "NAME=value", those asked for
};

// `bash -n` accepts the text.
bool bashAccepts(std::string_view script);

// The text must run a command named `program`. Empty when bash fails. The program is found on PATH as a small
// script that prints its own words, NUL-separated, and the named variables of its environment.
std::optional<BashWords> bashWords(std::string_view script, const std::string& program,
                                   const std::vector<std::string>& variables = {});

} // namespace lockstep::test
