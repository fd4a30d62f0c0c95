// SPDX-License-Identifier: Apache-2.0
// Handles text for and from nsys and its importer: shell arguments and printed output. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "core/base/help_topic.h"

namespace lockstep {

// Returns the string as one argument of a shell command line, quoted if necessary.
std::string shellArgument(const std::string& text);
// Returns the last nonblank line as valid UTF-8. Carriage returns, which progress bars print, also end a
// line.
std::string lastLine(std::string_view output);
// Returns one line for the user that explains the output of nsys; empty if the output contains no known
// message.
MessageWithHelp translatedNsysMessage(std::string_view output);

} // namespace lockstep
