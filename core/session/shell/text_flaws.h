// SPDX-License-Identifier: Apache-2.0
// What a copy from a web page, a chat or another system did to a script. It looks right and does something
// else, so that each flaw is told with its line before the script is read. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lockstep::shell {

struct TextFlaw {
    int line = 0;         // from 1
    bool isError = false; // a shell would run something else than what is meant
    std::string text;
    std::string fix;
};

// A byte order mark, carriage returns, a blank after the backslash that should continue a line, and quotes,
// dashes and spaces that only look like those of a keyboard, outside of comments and quoted words.
std::vector<TextFlaw> findTextFlaws(std::string_view text);

} // namespace lockstep::shell
