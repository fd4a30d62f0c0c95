// SPDX-License-Identifier: Apache-2.0
// The picture of two runs held against each other: the baseline above, the other below, what has moved
// between them. As drawTimeline(), which calls it where a request has a baseline.
#pragma once

#include <string>

#include "app/export_command.h"

namespace lockstep {

// invalid: the lanes are no regular expression, or the size has no room for two halves. Needs a
// QGuiApplication.
Result<std::string> drawDifference(const PictureRequest& request);

} // namespace lockstep
