// SPDX-License-Identifier: Apache-2.0
// Everything that EventRows collected from one window, as text: two ways to read it are equal if their texts
// are.
#pragma once

#include <string>
#include <string_view>

#include "core/readers/chrome_json/event_parser.h"

namespace lockstep::test {

// events: the text between the brackets of an array.
std::string eventRowsText(std::string_view events, EventParser::Reading reading);

} // namespace lockstep::test
