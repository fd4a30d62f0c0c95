// SPDX-License-Identifier: Apache-2.0
// Converts a ClockMap to and from JSON, for the "window" section of a workspace file. The conversion is
// lossless for an accepted alignment.
#pragma once

#include "core/align/clock_map.h"
#include "core/base/json_fields.h"

namespace lockstep {

Json jsonFromClockMap(const ClockMap& map);
// Missing or invalid values are replaced by the values of ClockMap(), which is not aligned.
ClockMap clockMapFromJson(const Json& object);

// Returns the two numbers of an array of two integers, or nullopt for any other value.
std::optional<std::pair<int64_t, int64_t>> pairFromJson(const Json& value);

} // namespace lockstep
