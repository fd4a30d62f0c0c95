// SPDX-License-Identifier: Apache-2.0
// ClockMap as JSON, for the section "window" of a workspace file: an accepted placement comes back as it was,
// with everything it says of itself.
#pragma once

#include "core/align/clock_map.h"
#include "core/base/json_fields.h"

namespace lockstep {

Json jsonFromClockMap(const ClockMap& map);
// Parts that are missing or make no sense are those of a ClockMap() that nobody placed.
ClockMap clockMapFromJson(const Json& object);

// An array of two whole numbers; nothing for any other value.
std::optional<std::pair<int64_t, int64_t>> pairFromJson(const Json& value);

} // namespace lockstep
