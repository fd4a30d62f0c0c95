// SPDX-License-Identifier: Apache-2.0
// Pictures of a headless export: the one place where the command line meets what draws.
#pragma once

#include <string>

#include "app/export_command.h"

namespace lockstep {

// Draws the timeline as a png, svg or pdf, or puts what is drawn already into the format. Starts Qt's GUI on
// the offscreen platform when none runs yet; needs no display.
Result<std::string> drawTimeline(const PictureRequest& request);

} // namespace lockstep
