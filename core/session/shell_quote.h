// SPDX-License-Identifier: Apache-2.0
// Quoting for POSIX shells, and splitting of pasted shell text into words. Pure functions, any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/session/config_value.h"

namespace lockstep {

// The word so that a shell gives it back unchanged: as it is where every character is plain, else in single
// quotes. The word must not hold NUL, which no argument can carry.
std::string shellQuoted(std::string_view word);
// Words joined by blanks.
std::string shellLine(std::span<const std::string> words);

// The same for bash, in texts that people read: control characters other than line feeds are spelled as
// $'\x1b', so that a terminal cannot obey them, and "${LOCKSTEP_SECRET_X}" (see secrets.h) is left for the
// shell to expand.
std::string bashQuoted(std::string_view word);
std::string bashLine(std::span<const std::string> words);
// The following functions quote for bash.
// cd into the folder, whatever its name: `cd -- -x`.
std::string shellEnter(std::string_view folder);
// NAME=value for the front of a command line.
std::string shellAssignment(std::string_view name, std::string_view value);
// A command over several lines joined by " \": words that look like settings (they have a '=') begin a line
// of their own, other lines break at 100 columns. Same words.
std::string shellBlock(std::span<const std::string> words);
// A name that a shell accepts in front of '=': letters, digits and '_', not beginning with a digit.
bool isEnvironmentName(std::string_view name);

// The text as lines of comments of a shell script, each behind `mark`. Nothing in the text can end its
// comment or act on a terminal.
std::string shellComments(std::string_view text, std::string_view mark = "# ");

struct ShellWords {
    std::vector<std::string> words;
    bool hasExpansion =
        false; // an unquoted or double-quoted $ or ` was met; it is kept as written, not expanded
};

// Words of a pasted command: single, double and $'' quotes (with \n, \t, \r and \xHH), backslashes, line
// continuations and comments are undone; line feeds separate words. invalid: an open quote, with its line and
// column.
Result<ShellWords> splitShellWords(std::string_view text);

} // namespace lockstep
