// SPDX-License-Identifier: Apache-2.0
// Finds damage that copying from a web page, a chat or another system did to a script. Such a script looks
// right but runs something else, so each flaw is reported with its line. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lockstep::shell {

struct TextFlaw {
    int line = 0;         // from 1
    bool isError = false; // a shell would run a different command
    std::string text;
    std::string fix;
};

// Returns byte order marks, carriage returns, blanks after a line-continuation backslash, and typographic
// quotes, dashes and spaces outside comments and quoted words.
std::vector<TextFlaw> findTextFlaws(std::string_view text);

} // namespace lockstep::shell
