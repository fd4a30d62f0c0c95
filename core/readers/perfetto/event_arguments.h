// SPDX-License-Identifier: Apache-2.0
// The arguments of one track event as text: categories, debug annotations, correlation.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/readers/perfetto/packet_walk.h"

namespace lockstep {

// In the trace's order and spelling; nested annotations as "outer.inner" and "list[0]", to a depth of 8.
std::vector<std::pair<std::string, std::string>> eventArguments(const TrackEventPacket& packet);

} // namespace lockstep
