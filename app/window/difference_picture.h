// SPDX-License-Identifier: Apache-2.0
// drawDifference() draws the comparison of two runs: the baseline at the top, the other run at the bottom,
// and the differences between the two in the middle. drawTimeline() calls it for a request with a baseline.
#pragma once

#include <string>

#include "app/cli/export_command.h"

namespace lockstep {

// Needs a QGuiApplication. Error: invalid (the regular expression for the lanes is invalid, or the size is
// too small).
Result<std::string> drawDifference(const PictureRequest& request);

} // namespace lockstep
