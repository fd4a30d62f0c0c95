// SPDX-License-Identifier: Apache-2.0
// Expansion of the words in a script into what its commands would receive, without running any part of the
// script: quotes are removed, and ~, variables, defaults, arrays and arithmetic are expanded. Whatever cannot
// be evaluated makes the word unknown.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/session/shell/state.h"

namespace lockstep::shell {

// Expands words to zero, one or several words each. For example, "${array[@]}" may give several.
std::vector<Text> expandedWords(Reading& reading, std::span<const Word> words);
// Expands the value of an assignment or the word of a condition, without splitting.
Text expandedText(Reading& reading, std::string_view raw, int line, bool isAssigned = false);
// Evaluates the content of $(( )) or (( )). Returns nullopt and the cause if the value is unknown.
std::optional<int64_t> numberOf(Reading& reading, std::string_view raw, int line, CausePtr& why);

// Returns the path without "." and "..", or nullopt if a reference makes the result unknown.
std::optional<std::string> normalPath(std::string_view path);
// Returns the current folder, as pwd prints it.
Text currentFolder(const State& state);

} // namespace lockstep::shell
