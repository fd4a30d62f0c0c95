// SPDX-License-Identifier: Apache-2.0
// Adds notes about unquoted * ? {a,b} and ~ in a word. bash would expand these characters, but the reader
// keeps them as written.
#pragma once

#include <string>
#include <string_view>

#include "core/session/shell/state.h"

namespace lockstep::shell {

void noteUnreadParts(std::string_view raw, int line, Notes& notes);

// Returns " (lines 3 to 7)", or "" if there is only one line.
std::string lineRange(int first, int last);
// Returns the beginning of a part of a script on a single line, for use in a note.
std::string shortened(std::string_view text);

} // namespace lockstep::shell
