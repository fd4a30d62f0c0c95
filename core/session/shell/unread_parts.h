// SPDX-License-Identifier: Apache-2.0
// What bash would make of the unquoted * ? {a,b} and ~ in a word, and the reader does not: told, the word
// stays whole.
#pragma once

#include <string>
#include <string_view>

#include "core/session/shell/state.h"

namespace lockstep::shell {

void noteUnreadParts(std::string_view raw, int line, Notes& notes);

// " (lines 3 to 7)", or "" for one line.
std::string lineRange(int first, int last);
// The beginning of a piece of script, on one line, for a note.
std::string shortened(std::string_view text);

} // namespace lockstep::shell
