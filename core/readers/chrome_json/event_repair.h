// SPDX-License-Identifier: Apache-2.0
// Mends one event object that the JSON grammar refuses but that says clearly what it means: what PyTorch and
// its users have been seen to write. A pure function, any thread.
#pragma once

#include <string>
#include <string_view>

namespace lockstep {

// text as valid JSON as far as that can be: unescaped quotes in strings escaped, unknown escapes and control
// characters kept literally, invalid UTF-8 replaced by U+FFFD, bare NaN / Infinity / inf and absent values
// made null, other bare values strings, commas before a closing bracket dropped, brackets closed by their own
// kind, what is open at the end closed. Linear in the length; does not recurse. The result still has to be
// parsed.
std::string repairedEvent(std::string_view text);

// text up to its last closing bracket: what stands behind it may be the place of another one that is damaged.
// Tried where repairedEvent() of the whole is no JSON.
std::string_view upToLastBracket(std::string_view text);

} // namespace lockstep
