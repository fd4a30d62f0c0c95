// SPDX-License-Identifier: Apache-2.0
// Returns the arguments of one track event as strings: categories, debug annotations, correlation.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/readers/perfetto/packet_walk.h"

namespace lockstep {

// Returns the arguments in the trace's order and spelling. Nested annotations are named "outer.inner" and
// "list[0]", up to a depth of 8.
std::vector<std::pair<std::string, std::string>> eventArguments(const TrackEventPacket& packet);

} // namespace lockstep
