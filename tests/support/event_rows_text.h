// SPDX-License-Identifier: Apache-2.0
// Everything that EventRows gathered from one window, as text: two ways to read it are the same when their
// texts are.
#pragma once

#include <string>
#include <string_view>

#include "core/readers/chrome_json/event_parser.h"

namespace lockstep::test {

// events: what stands between the brackets of an array.
std::string eventRowsText(std::string_view events, EventParser::Reading reading);

} // namespace lockstep::test
