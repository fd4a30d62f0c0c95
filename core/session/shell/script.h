// SPDX-License-Identifier: Apache-2.0
// Script contains the commands that a launch script would run, with their arguments and environment,
// derived only from the script's text. Nothing is run, and no file or variable on this machine is read.
// Unsupported constructs (commands in $( ), here-documents, some loops, branches with unknown conditions,
// sourced files) become notes with their line number. Time and memory are bounded for any text. Pure. Thread:
// any.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/session/config_value.h"
#include "core/session/shell/state.h"

namespace lockstep::shell {

struct Command {
    int line = 0;
    std::vector<Text> words;
    // Exported variables, then the command's own assignments.
    std::vector<std::pair<std::string, Text>> environment;
    Text folder;
    bool isCertain = true; // false inside a branch that may not be taken
    bool isPiped = false;  // reads the output of the previous command
    bool isRedirected = false;
};

struct Script {
    std::vector<Command> commands;                       // in the order of execution
    std::vector<std::pair<std::string, Text>> variables; // values at the end of the script, sorted by name
    std::vector<std::string> batchOptions;               // arguments of #SBATCH lines
    std::vector<Note> notes;                             // sorted by line
};

inline constexpr size_t kMaxBytes = 1 << 20;
inline constexpr size_t kMaxCommands = 2'000;

// Reads a script. exported: the script's initial variables. firstLine: the number of the script's first line.
// Errors: invalid for an unclosed quote or bracket (with line and column), or for text that is too long.
Result<Script> readScript(std::string_view text, int firstLine = 1,
                          std::span<const std::pair<std::string, Text>> exported = {});

} // namespace lockstep::shell
