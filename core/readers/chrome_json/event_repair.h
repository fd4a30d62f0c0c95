// SPDX-License-Identifier: Apache-2.0
// Repairs one event object that violates the JSON grammar but whose meaning is clear. Covers the errors
// observed in output of PyTorch and of programs that use it. A pure function, any thread.
#pragma once

#include <string>
#include <string_view>

namespace lockstep {

// Returns text as valid JSON as far as possible: escapes quotes in strings, keeps unknown escapes and control
// characters literally, replaces invalid UTF-8 by U+FFFD, turns bare NaN / Infinity / inf and absent values
// into null and other bare values into strings, drops commas before closing brackets, closes each bracket
// with the matching kind, and closes everything at the end. Linear in the length; not recursive. The result
// must still be parsed.
std::string repairedEvent(std::string_view text);

// Returns text up to its last closing bracket, because the rest may belong to another corrupt event. Used if
// repairedEvent() of the entire text is not valid JSON.
std::string_view upToLastBracket(std::string_view text);

} // namespace lockstep
