// SPDX-License-Identifier: Apache-2.0
// Shell builtins that affect later lines of a script: assignments, export, local, unset, cd, set, shift,
// read. They modify only the State of a Reading.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/session/shell/state.h"

namespace lockstep::shell {

// Executes NAME=VALUE. Returns the cause if the value is unknown, otherwise null.
CausePtr assign(Reading& reading, const Word& word, bool isExported);
// Executes export, declare, typeset, readonly or local. Returns false for other commands.
bool declare(Reading& reading, const std::vector<Word>& words);
// Executes the other builtins, some of which have no effect here. Returns whether it succeeded; nullopt for
// other commands.
std::optional<bool> runBuiltin(Reading& reading, int line, std::span<const Text> words);

// Replaces unknown values of variables that the caller gives.
void useGivenValues(Reading& reading);

// Makes a variable local to the function that is executed, until endLocals().
void keepOutside(Reading& reading, std::string_view name);
// Restores the variables that the function had made local. `outer` are those of the calling function.
void endLocals(Reading& reading, Locals outer);

// Returns the exported variables, and the assignments before a command.
std::vector<std::pair<std::string, Text>> environmentWith(Reading& reading,
                                                          const std::vector<Word>& assignments);

// Returns what echo, pwd, dirname, basename, realpath or readlink -f prints; nullopt for other commands.
std::optional<Text> printedText(std::span<const Text> words, const State& state);

} // namespace lockstep::shell
