// SPDX-License-Identifier: Apache-2.0
// Quotes words for POSIX shells, and splits pasted shell text into words. Pure functions. Thread: any.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/session/config_value.h"

namespace lockstep {

// Quotes a word for a shell. The word is unchanged if all characters are plain, and otherwise enclosed in
// single quotes. The word must not contain NUL.
std::string shellQuoted(std::string_view word);
// Quotes the words and joins them with spaces.
std::string shellLine(std::span<const std::string> words);

// Same as shellQuoted(), but for bash and for text shown to the user. Control characters other than line
// feeds are written in the form $'\x1b', so that a terminal does not interpret them. References are left for
// the shell to expand: "${LOCKSTEP_SECRET_X}" (see secrets.h), and those that the host resolves, such as ~
// and $USER (see host_reference.h). $$ becomes a literal dollar.
std::string bashQuoted(std::string_view word);
std::string bashLine(std::span<const std::string> words);
// Returns the words in which the text of a shell (bash -c TEXT) is literal: that shell resolves its
// variables.
std::vector<std::string> withLiteralShellTexts(std::vector<std::string> words);
// The following functions quote for bash. Returns a cd command that works for any folder name: `cd -- -x`.
std::string shellEnter(std::string_view folder);
// Returns NAME=value for use at the beginning of a command line.
std::string shellAssignment(std::string_view name, std::string_view value);
// Returns a command split into lines that are joined by " \". Words that contain '=' begin a new line; other
// lines are broken at 100 columns.
std::string shellBlock(std::span<const std::string> words);
// Returns true for a valid shell variable name: letters, digits and '_', not beginning with a digit.
bool isEnvironmentName(std::string_view name);

// Returns the text as comment lines for a shell script, each prefixed with `mark`. The result cannot
// terminate the comment, and contains nothing that a terminal would interpret.
std::string shellComments(std::string_view text, std::string_view mark = "# ");

// Returns the text that bash makes of the inside of $'...', with all escapes of its manual. It is not valid
// UTF-8 if the escapes are not.
std::string ansiCText(std::string_view inside);

struct ShellWords {
    std::vector<std::string> words;
    bool hasExpansion = false; // the text contains an unquoted or double-quoted $ or `, which is kept as
                               // written
};

// Splits a pasted command into words. Removes single, double and $'' quotes, backslashes, line continuations
// and comments. Line feeds separate words. Errors: invalid for an unclosed quote, with line and column.
Result<ShellWords> splitShellWords(std::string_view text);

} // namespace lockstep
