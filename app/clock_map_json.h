// ClockMap as JSON, for the section "window" of a workspace file: an accepted placement comes back as it was,
// with everything it says of itself.
#pragma once

#include <QJsonObject>

#include "core/align/clock_map.h"

namespace lockstep {

QJsonObject clockMapObject(const ClockMap& map);
// Parts that are missing or make no sense are those of a ClockMap() that nobody placed.
ClockMap clockMapOf(const QJsonObject& object);

} // namespace lockstep
