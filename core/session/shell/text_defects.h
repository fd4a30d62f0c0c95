// SPDX-License-Identifier: Apache-2.0
// Finds defects in a script that result from copying it from a web page, a chat or a different system. Such a
// script looks correct but runs something else, so each defect is reported with its line. Pure. Thread: any.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lockstep::shell {

struct TextDefect {
    int line = 0;         // one-based
    bool isError = false; // true if a shell would run a different command
    std::string text;
    std::string fix;
};

// Returns byte order marks, carriage returns, spaces after a line-continuation backslash, and typographic
// quotes, dashes and spaces outside comments and quoted words.
std::vector<TextDefect> findTextDefects(std::string_view text);

} // namespace lockstep::shell
