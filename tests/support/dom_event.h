// SPDX-License-Identifier: Apache-2.0
// Reads one event with simdjson's DOM, as a reference for EventReader, and describes events as text in a form
// that does not depend on the spelling of numbers and escape sequences.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lockstep::test {

// Returns the description of an event read by simdjson's DOM; nullopt if the DOM parser rejects the text.
std::optional<std::string> domEventText(std::string_view event);

// Returns the description of an event read by EventReader; nullopt if EventReader rejects the text.
std::optional<std::string> readerEventText(std::string_view event);

// Returns false if the text contains something that EventReader deliberately treats differently from the DOM
// parser: invalid escape sequences, malformed or too large or too precise numbers, -0, NaN and Infinity.
bool isSameForDom(std::string_view event);

} // namespace lockstep::test
