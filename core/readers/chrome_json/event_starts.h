// SPDX-License-Identifier: Apache-2.0
// Finds the starts of events in text whose structure cannot be trusted: corrupt blocks, flipped quotes and
// brackets, concatenated parts. Uses only the typical beginning of an event, and no text before that, so that
// an error affects only its own event. Used by the window cutter and the parser. Pure functions, any thread.
#pragma once

#include <cstddef>
#include <string_view>

namespace lockstep {

// Returns the offset of the first event start at or after `from`, or npos. An event start is a { that is not
// a member value (the previous byte is not a colon), whose first key belongs to the Trace Event Format, and
// that is followed by a "ph" before the next such brace. Linear in the distance to the next one after the
// returned one.
size_t nextEventStart(std::string_view text, size_t from);

// Returns the offset of the last event start at or after `from`, or npos. Linear.
size_t lastEventStart(std::string_view text, size_t from);

} // namespace lockstep
