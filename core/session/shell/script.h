// SPDX-License-Identifier: Apache-2.0
// ShellScript: the commands that a launch script would run and what they would see, told from its text alone.
// Nothing is ever run, no file and no variable of this machine is read. What the reader cannot follow
// (commands in $( ), here-documents, loops beyond their first round, branches that hang on something unknown,
// sourced files) is a note with its line. Bounded in time and memory whatever the text. Pure; any thread.
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
    std::vector<std::pair<std::string, Text>> environment; // exported, then its own assignments
    Text folder;
    bool isCertain = true; // else it stands in a branch that may not be taken
    bool isPiped = false;  // reads from the command before it
    bool isRedirected = false;
};

struct Script {
    std::vector<Command> commands;                       // in the order of running
    std::vector<std::pair<std::string, Text>> variables; // at the end, in the order of their names
    std::vector<std::string> batchOptions;               // words of #SBATCH lines
    std::vector<Note> notes;                             // in the order of lines
};

inline constexpr size_t kMostBytes = 1 << 20;
inline constexpr size_t kMostCommands = 2'000;

// exported: variables that it starts with. firstLine: number of the text's first line. invalid, with line and
// column: an open quote or bracket; too long a text.
Result<Script> readScript(std::string_view text, int firstLine = 1,
                          std::span<const std::pair<std::string, Text>> exported = {});

} // namespace lockstep::shell
