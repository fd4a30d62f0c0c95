// SPDX-License-Identifier: Apache-2.0
// Script contains the commands that a launch script would run, with their arguments and environment,
// derived only from the texts of the script and of the files that it sources. Nothing is run, and no variable
// of this machine is read. If a condition cannot be evaluated, all branches are read, and what differs
// between them is unknown. Time and memory are bounded for any text. Pure. Thread: any.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
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
    bool isCertain = true;   // false inside a branch that may not be taken
    CausePtr why;            // why it is not certain
    bool isRepeated = false; // inside a loop whose rounds are unknown
    bool isPiped = false;    // reads the output of the previous command
    bool hasInput = false;   // reads a file or a here-document
    bool isRedirected = false;
    bool writesFile = false; // output is redirected to a file
    // For each enclosing statement with several branches: its number, and the branch. Two commands in
    // different branches of one statement are alternatives.
    std::vector<std::pair<int, int>> branches;
};

struct Script {
    std::vector<Command> commands;                       // in the order of execution
    std::vector<std::pair<std::string, Text>> variables; // values at the end, sorted by name
    std::vector<std::string> batchOptions;               // arguments of #SBATCH lines
    std::vector<Note> notes;                             // sorted by line
};

struct ScriptOptions {
    // Absolute path of the script; "" if it is unknown, and then its folder is too.
    std::string path;
    // Returns the content of a file that the script sources. May be empty: then sourced files are not read.
    std::function<Result<std::string>(const std::string& path)> readFile = {};
    // Variables that the caller sets, and arguments "1", "2", .... They also replace values that the script
    // computes in a way that cannot be evaluated.
    TextPairs values = {};
    std::vector<std::pair<std::string, Text>> exported = {}; // initial environment
    Text folder = {};                                        // current folder at the start
    int firstLine = 1;
    bool hasArguments = false; // the script gets arguments, which are unknown
    bool isInner = false;      // the text of bash -c, which may contain references
};

inline constexpr size_t kMaxBytes = 1 << 20;
inline constexpr size_t kMaxCommands = 2'000;

// Reads a script. Errors: as for parseShell(), and invalid for text that is too long or not valid UTF-8.
Result<Script> readScript(std::string_view text, const ScriptOptions& options = {});

} // namespace lockstep::shell
