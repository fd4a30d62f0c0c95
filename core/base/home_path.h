// SPDX-License-Identifier: Apache-2.0
// Paths in the home folder of a host. A session may write them as ~/x, $HOME/x or ${HOME}/x, as in a shell.
// The pasted plan leaves the reference to the shell (see bashQuoted()), and the agent replaces it when it
// starts a command, so both use the same folder. Other expansions (~user, other variables, commands) are
// never made. Pure functions except withOwnHome(). Thread: any.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lockstep {

// HomeReference is the position of a reference to the home folder in a word. size_bytes is 0 if the word has
// no reference.
struct HomeReference {
    size_t begin = 0;
    size_t size_bytes = 0; // of "~", "$HOME" or "${HOME}"
};

// Finds a reference at the beginning of a word, or after its first '=' and an optional quote: --output=~/x.
// The reference must be followed by '/' or end the word or quote.
HomeReference homeReference(std::string_view word);
// Returns the word with its reference replaced by `home`; unchanged if there is no reference or home is "".
std::string withHome(std::string_view word, std::string_view home);
// Returns true if a path does not depend on the working folder: it is absolute, or in the home folder.
bool isAbsoluteOrHomePath(std::string_view path);

// Returns the word with its reference replaced by $HOME of this process; unchanged if HOME is not set.
std::string withOwnHome(std::string_view word);

} // namespace lockstep
