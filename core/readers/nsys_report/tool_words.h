// SPDX-License-Identifier: Apache-2.0
// Words to and from nsys and its importer: as a person types them, and what they printed. Pure functions.
#pragma once

#include <string>
#include <string_view>

namespace lockstep {

// The text as one word of a shell's command line, quoted where it must be.
std::string shellWord(const std::string& text);
// The last line that is not blank, as valid UTF-8. Carriage returns, as progress bars print them, end lines.
std::string lastLine(std::string_view output);
// What nsys printed -> one line for people; "" when nothing in it is known.
std::string translatedNsysMessage(std::string_view output);

} // namespace lockstep
