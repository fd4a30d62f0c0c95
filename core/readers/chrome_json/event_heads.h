// SPDX-License-Identifier: Apache-2.0
// Where events begin in text whose structure cannot be trusted: damaged blocks, flipped quotes and brackets,
// parts glued together. Goes by what the beginning of an event looks like and by nothing before it, so one
// fault costs the event it hits and not those behind it. The window cutter and the parser ask it. Pure
// functions, any thread.
#pragma once

#include <cstddef>
#include <string_view>

namespace lockstep {

// The first event head at or after `from`; npos when there is none. A head is a { that is no member's value
// (the byte before it is no colon), whose first key is one of the Trace Event Format's, and behind which a
// "ph" comes before the next such brace. Linear in the distance to the head behind the one found.
size_t nextEventHead(std::string_view text, size_t from);

// The last event head at or after `from`; npos when there is none. Linear.
size_t lastEventHead(std::string_view text, size_t from);

} // namespace lockstep
